"""The page 'Results by GPU' is made from results/<gpu>/ whenever the book is built."""

import json
import re
from html import escape as html
from string import Formatter

import pandas as pd

PAGE = "results_by_gpu"
NUMBER = re.compile(r"(lab/)?(\d\d)_(\w+)")  # of a chapter, or of its lab notes
MARKS = {"holds": "✓", "not on this GPU": "✗"}


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        pages = app.env.found_docs
        titles = {page: title(app.srcdir / f"{page}.ipynb") for page, _ in chapters(pages)}
        source[0] += markdown(read(app.srcdir / "results"), pages, titles)


def title(path):
    """A chapter's title, without its number, from its notebook."""
    first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
    return re.match(r"# (.+)", "".join(first))[1]


def read(folder):
    """Every GPU that was recorded: a list of dicts of its name, stamps, measurements, claims."""
    found = []
    for path in sorted(folder.glob("*/stamps.json")):
        stamps = json.loads(path.read_text(encoding="utf-8"))
        names = ("measurements", "claims")
        tables = {name: table(path.with_name(f"{name}.csv")) for name in names}
        newest = max(stamps.values(), key=lambda stamp: stamp["date"])
        found.append({"name": newest["gpu"], "stamp": newest, "stamps": stamps, **tables})
    return found


def table(path):
    return pd.read_csv(path, dtype={"size": str}) if path.is_file() else pd.DataFrame()


def markdown(gpus, pages=(), titles=None):
    """The page's body: the GPUs, then each chapter's times and claims.

    pages: the documents of the book, whose names say each chapter's number; titles: of the
    chapters, by page.
    """
    if not gpus:
        return "\nNo GPU has been measured yet.\n"
    parts = ["\n## The GPUs\n", grid(machines(gpus))]
    for page, chapter in chapters(pages):
        times, claims = side_by_side(gpus, chapter), verdicts(gpus, chapter)
        if times.empty and claims.empty:
            continue
        number, words = int(NUMBER.match(page)[2]), (titles or {}).get(page, chapter)
        head = f"Chapter {number}: {words}"
        if page.startswith("lab/"):
            head = f"Lab notes of chapter {number}"
        parts.append(f"\n## {head}\n\nFrom {{doc}}`{page}`.\n")
        parts += [] if times.empty else [fold(f"{len(times)} time{'s' * (len(times) != 1)}", times)]
        parts += [] if claims.empty else [fold(held(claims), claims)]
    return "\n".join(parts) + "\n"


def chapters(pages):
    """(page, slug) of each chapter, and behind it of its lab notes, in the book's order."""
    found = [
        (match[2], match[1] or "", match[3]) for match in map(NUMBER.fullmatch, pages) if match
    ]
    return [(f"{lab}{number}_{name}", f"{lab}{name}") for number, lab, name in sorted(found)]


def machines(gpus):
    """One row a GPU: what it is driven by, its measured rates, when it was recorded last."""
    return pd.DataFrame(
        {
            "GPU": [gpu["name"] for gpu in gpus],
            "Driver": [gpu["stamp"]["driver"] for gpu in gpus],
            "CUDA": [gpu["stamp"]["cuda"] for gpu in gpus],
            "Copy, GB/s": [f"{gpu['stamp']['copy_gb_per_s']:,}" for gpu in gpus],
            "Float32 FMA, TFLOP/s": [gpu["stamp"]["fma_tflop_per_s"] for gpu in gpus],
            "Recorded": [gpu["stamp"]["date"] for gpu in gpus],
        }
    )


def of_chapter(rows, chapter):
    return rows[rows["chapter"] == chapter] if "chapter" in rows else rows


def side_by_side(gpus, chapter):
    """One row a run and kernel, one column a GPU, in the order of the page's own recording."""
    columns = {}
    for gpu in newest_first(gpus, chapter):
        rows = of_chapter(gpu["measurements"], chapter)
        if not rows.empty:
            rows = rows.assign(text=rows.apply(cell, axis=1))
            rows = rows.drop_duplicates(["size", "kernel"], keep="last")
            columns[gpu["name"]] = rows.set_index(["size", "kernel"])["text"]
    if not columns:
        return pd.DataFrame()
    wide = on_the_page(columns).rename_axis(["Run", "Kernel"]).reset_index()
    return wide.assign(Run=wide["Run"].map(run_name))


def newest_first(gpus, chapter):
    """The GPUs that a chapter was recorded on, the last recording first: that of today's page."""
    there = [gpu for gpu in gpus if chapter in gpu["stamps"]]
    return sorted(there, key=lambda gpu: gpu["stamps"][chapter]["date"], reverse=True)


def on_the_page(columns):
    """The rows of the first column, with what the others have of them: older pages had other rows.

    A GPU that has none of them is left out.
    """
    first = next(iter(columns.values()))
    return pd.DataFrame(columns).reindex(first.index).dropna(axis=1, how="all").fillna("")


def cell(row):
    """'0.123 ms, 2,912 GB/s, 96 % of the bound': what the row has of it."""
    words = [f"{row.ms:.3g} ms"]
    if row.gflop_per_s == row.gflop_per_s:
        words.append(f"{short(row.gflop_per_s)} GFLOP/s")
    elif row.gb_per_s == row.gb_per_s:
        words.append(f"{short(row.gb_per_s)} GB/s")
    if row.bound_ms == row.bound_ms:
        words.append(f"{short(100 * row.bound_ms / row.ms)} % of bound")
    return ", ".join(words)


def short(value):
    """Three figures of a small number, all of a large one: 0.437, 27.5, 3,440."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def run_name(size):
    """A run's name, with its thousands apart where it is a number."""
    return f"{int(size):,}" if size.isdigit() else size


def verdicts(gpus, chapter):
    """One row a claim, its numbers left open; one column a GPU: whether it held, with what."""
    columns, checks = {}, {}
    for gpu in newest_first(gpus, chapter):
        rows = of_chapter(gpu["claims"], chapter)
        if rows.empty:
            continue
        keys = list(zip(rows["sentence"], rows.groupby("sentence").cumcount(), strict=True))
        said = [
            f"{MARKS[row.status]} {', '.join(numbers(row.sentence, row.measured))}"
            for row in rows.itertuples()
        ]
        columns[gpu["name"]] = pd.Series(said, index=pd.MultiIndex.from_tuples(keys))
        checks = checks or dict(zip(keys, rows["checked"].fillna(""), strict=True))
    if not columns:
        return pd.DataFrame()
    wide = on_the_page(columns)
    wide.insert(0, "Claim", [escape(open_sentence(sentence)) for sentence, _ in wide.index])
    wide.insert(1, "Checked", [escape(str(checks[key])) for key in wide.index])
    return wide


def open_sentence(sentence):
    """A claim's sentence with … where its numbers stand."""
    return "".join(
        text + ("…" if field is not None else "") for text, field, *_ in Formatter().parse(sentence)
    )


def numbers(sentence, measured):
    """The numbers that a claim's sentence got: what stands in ``measured`` at its fields."""
    parts = Formatter().parse(sentence)
    pattern = "".join(
        re.escape(text) + ("(.+?)" if field is not None else "") for text, field, *_ in parts
    )
    found = re.fullmatch(pattern, measured, flags=re.DOTALL)
    return found.groups() if found else [measured]


def escape(text):
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def held(claims):
    """'12 claims; they hold on A, 11 of 12 on B': what a fold of claims says."""
    said = []
    for name in claims.columns[2:]:
        marks = claims[name].str[:1]
        yes, no = ((marks == MARKS[status]).sum() for status in ("holds", "not on this GPU"))
        said.append(f"{yes} of {yes + no} hold on {name}" if no else f"all {yes} hold on {name}")
    return f"{len(claims)} claim{'s' * (len(claims) != 1)}: {', '.join(said)}"


def fold(words, table):
    """A Markdown table below a line that opens it."""
    return f"<details>\n<summary>{html(words)}</summary>\n\n{grid(table)}\n</details>\n"


def grid(table):
    """A Markdown table."""
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1], *table.astype(str).values]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"

"""Chapters and lab notes are whole, in one shape, as JupyterLab writes them, without dead links."""

import ast
import copy
import json
import re
from pathlib import Path

import nbformat
import pytest

import warpbook
from warpbook.grading import exercises
from warpbook.launch import source
from warpbook.recording import chapters, notebooks

CHAPTERS, PAGES = chapters.chapters(), chapters.pages()
NOTES = [path for path in PAGES if path not in CHAPTERS]
HEADINGS = ["The task", "The bound", "Step 1", "The ladder", "Exercises", "Key points"]
# The same with those that a page may lack.
ORDER = ["Set-up", *HEADINGS[:4], "What is left", *HEADINGS[4:], "Lab notes", "Further reading"]
WIDEST = 78  # columns: what is wider is cut off on a page 1280 px wide
NAMES_A_KERNEL = {"load", "show", "diff"}
NAMES_AN_EXERCISE = {"start", "grade"}


def read(path):
    return nbformat.read(path, as_version=4)


def cells(notebook, kind="code"):
    return [c for c in notebook.cells if c.cell_type == kind]


def tags(cell):
    return cell.metadata.get("tags", [])


def prose(notebook):
    return "\n\n".join(c.source for c in cells(notebook, "markdown"))


def order(notebook):
    """Code cells that were not run, or not in order, from the first to the last."""
    return [
        f"run as {c.execution_count}, not {i}: {c.source[:60]}"
        for i, c in enumerate(cells(notebook), 1)
        if c.execution_count != i
    ]


def outputs(notebook):
    """Errors where none is expected, expected ones that did not come, and warnings."""
    found = []
    for cell in cells(notebook):
        failed = any(o.output_type == "error" for o in cell.outputs)
        if failed != ("raises-exception" in tags(cell)):
            found.append(f"{'an' if failed else 'no'} error in: {cell.source[:80]}")
        found += [f"on stderr: {o.text[:80]}" for o in cell.outputs if o.get("name") == "stderr"]
    return found


def layout(notebook):
    """What JupyterLab would write otherwise, beside an edit: metadata, and whole floats."""
    found = [
        f"{name} is not as JupyterLab fills it in: run `python -m warpbook address`"
        for name, filled_in in notebooks.METADATA.items()
        if notebook.metadata.get(name) != filled_in
    ]
    text = nbformat.writes(notebook)
    json.loads(text, parse_float=lambda f: found.append(f"{f} is a float") if f[-2:] == ".0" else f)
    return found


def shape(notebook):
    """Lines that are too wide, and a set-up cell that differs or stands behind other code.

    Only the picture of the first screen may run before it, in a folded cell with its own imports.
    """
    code = cells(notebook)
    setup = [i for i, c in enumerate(code) if "setup" in tags(c)]
    if len(setup) != 1:
        return [f"{len(setup)} cells are tagged setup, not one"]
    ready = copy.deepcopy(notebook)
    chapters.set_up(ready)
    same = [c.source for c in code] == [c.source for c in cells(ready)]
    found = [] if same else ["the set-up cell differs: `python -m warpbook address` writes it"]
    picture = [c for c in code[: min(setup[0], 1)] if "hide-input" in tags(c) and imports(c)]
    before = code[len(picture) : setup[0]]
    found += [f"before the set-up only a folded picture: {c.source[:40]}" for c in before]
    fenced = [m[0] for m in FENCE.finditer(prose(notebook))]
    lines = [line for text in [*fenced, *(c.source for c in code)] for line in text.splitlines()]
    return found + [f"wider than {WIDEST}: {line}" for line in lines if len(line) > WIDEST]


def imports(cell):
    """Whether a cell imports what it uses of the package; explore("roofline") uses no roofline."""
    names = re.findall(r"^from warpbook import \(?((?:[\w, ]|\n +)+)", cell.source, re.M)
    there = set(re.findall(r"\w+", " ".join(names)))
    used = {name for name in warpbook.__all__ if re.search(rf"(?<!\")\b{name}\b", cell.source)}
    return used <= there


def headings(notebook):
    """One title, then the house's sections in the house's order."""
    text = re.sub(r"^```.*?^```", "", prose(notebook), flags=re.M | re.S)
    found = [] if len(re.findall(r"^# ", text, re.M)) == 1 else ["not exactly one title"]
    there = re.findall(r"^## (.+)", text, re.M)
    places = {
        name: next((i for i, h in enumerate(there) if re.match(rf"{name}\b", h)), None)
        for name in ORDER
    }
    found += [f"no section '{name}'" for name in HEADINGS if places[name] is None]
    steps = [int(number) for number in re.findall(r"^## Step (\d+)", text, re.M)]
    found += [f"the steps are {steps}"] * (steps != list(range(1, len(steps) + 1)))
    at = [i for i in places.values() if i is not None]
    return found + ["the sections are not in the house's order"] * (at != sorted(at))


def paths(notebook):
    """Kernels and exercises that calls name and that do not exist."""
    found = []
    for cell in cells(notebook):
        code = re.sub(r"^(\s*)[%!].*", r"\1pass", cell.source, flags=re.M)
        for call in (n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Call)):
            verb = getattr(call.func, "id", None)
            given = [
                a.value
                for a in call.args
                if isinstance(a, ast.Constant) and isinstance(a.value, str)
            ]
            if verb in NAMES_A_KERNEL:
                found += [f"{verb}: no kernel {v}" for v in given if not kernel(v).is_file()]
            if verb in NAMES_AN_EXERCISE:
                found += [
                    f"{verb}: no exercise {v}" for v in given[:1] if v not in exercises.exercises()
                ]
    return found


FENCE = re.compile(r"^ *(`{3,}|~{3,})(.*)\n(?:.*\n)*? *\1 *$", re.M)
DIRECTIVES = re.compile(
    r"^ *:{3,}.*|^ *(?:`{3,}|~{3,})\{.*"  # :::{note}, ```{note}
    r"|\{[a-z][\w:-]*\}`[^`]*`"  # {doc}`page`
    r"|^\(.+\)=$|^%.*|^\+{3}.*|\{\{.*?\}\}",  # (target)=, % a comment, +++, {{ a substitution }}
    re.M,
)


def directives(notebook):
    """Text that only the book's builder understands: anywhere else it would stand there raw."""
    text = FENCE.sub(lambda m: m[0] if m[2].startswith("{") else "", prose(notebook))
    return [found.strip() for found in DIRECTIVES.findall(text)]


def folds(notebook):
    """Faults of <details> in Markdown cells: each is whole in its cell, Markdown inside renders."""
    found = []
    for cell in cells(notebook, "markdown"):
        opened = re.findall(r"^<details>\n?<summary>[^\n<>]+</summary>\n\n", cell.source, re.M)
        closed = re.findall(r"\n\n</details>$", cell.source, re.M)
        if not len(opened) == len(closed) == len(re.findall("</?details", cell.source)) / 2:
            found.append(f"blank lines belong around what is folded in: {cell.source[:80]}")
    return found


def ungraded(notebook):
    """Exercises that a cell starts and no cell from there on grades."""
    code = [c.source for c in cells(notebook)]
    return [
        name
        for i, text in enumerate(code)
        for name in re.findall(r'\bstart\("([^"]+)"', text)
        if not any(f'grade("{name}"' in later for later in code[i:])
    ]


def kernel(variant):
    return source.KERNELS / (variant if variant.endswith(".cuh") else f"{variant}.cu")


def links(notebook, folder):
    """Links to files of the book that do not exist."""
    names = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", prose(notebook))
    names += [f"{n}.ipynb" for n in re.findall(r"\{doc\}`(?:[^`<]*<)?([\w/]+)>?`", prose(notebook))]
    return [
        f"a link to {n}, which is not there"
        for n in names
        if not (folder / n).is_file() and not (folder / n).with_suffix(".md").is_file()
    ]


def folded(notebook):
    """Predictions, and what folds until they are answered: in lab notes there are none."""
    return [
        f"lab notes ask for no prediction: {c.source[:80]}"
        for c in notebook.cells
        if "answer" in tags(c) or c.cell_type == "code" and re.search(r"\bpredict\(", c.source)
    ]


SHARED = [order, outputs, layout, shape, paths, directives, folds, ungraded]
CHECKS = [*SHARED, headings]


@pytest.mark.parametrize("check", CHECKS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("path", CHAPTERS, ids=chapters.name)
def test_chapter(path, check):
    found = check(read(path))
    assert found == []


@pytest.mark.parametrize("check", [*SHARED, folded], ids=lambda f: f.__name__)
@pytest.mark.parametrize("path", NOTES, ids=chapters.name)
def test_lab_notes(path, check):
    found = check(read(path))
    assert found == []


@pytest.mark.parametrize("path", PAGES, ids=chapters.name)
def test_a_notebook_that_is_saved_again_has_not_changed(path, tmp_path):
    """As the server of JupyterLab saves it: by nbformat."""
    nbformat.write(read(path), tmp_path / "saved.ipynb", version=nbformat.NO_CONVERT)
    assert (tmp_path / "saved.ipynb").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", PAGES, ids=chapters.name)
def test_a_word_that_is_edited_is_one_line_of_the_diff(path, tmp_path):
    notebook = read(path)
    first = next(c for c in cells(notebook, "markdown") if " the " in c.source)
    first.source = first.source.replace(" the ", " this ", 1)
    nbformat.write(notebook, tmp_path / "saved.ipynb")
    after = (tmp_path / "saved.ipynb").read_text(encoding="utf-8").splitlines()
    before = path.read_text(encoding="utf-8").splitlines()
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize("path", PAGES, ids=chapters.name)
def test_links_within_the_book_lead_somewhere(path):
    assert links(read(path), path.parent) == []


@pytest.mark.parametrize("path", PAGES, ids=chapters.name)
def test_a_notebook_is_valid_and_its_cells_have_names_of_their_own(path):
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert len({c.id for c in notebook.cells}) == len(notebook.cells)


def unused(files, used):
    return sorted(set(files) - set(used))


def used(path):
    """Names of the kernels and exercises that a page names, and of the kernels that it opened."""
    opened = set(chapters.stamp(path).get("files", ()))
    code = "\n".join(c.source for c in cells(read(path)))
    kernels = {name for name in source.variants() if name in code}
    named = {name for name in exercises.exercises() if f'"{name}"' in code}
    named = kernels | {name.replace("/", "/exercises/") for name in named}
    return opened | {f"kernels/{name}.cu" for name in named}


def test_every_kernel_and_every_exercise_is_used_by_a_page():
    files = [*source.KERNELS.glob("*/*.cu"), *source.KERNELS.glob("*/exercises/*.cu")]
    names = [f"kernels/{path.relative_to(source.KERNELS).as_posix()}" for path in files]
    assert unused(names, [name for path in PAGES for name in used(path)]) == []


def test_one_model_of_gpu_recorded_all_pages():
    shown = {read(path).metadata.get(chapters.KEY, {}).get("gpu") for path in PAGES}
    assert len(shown - {None}) == 1


def test_a_page_that_shows_a_gpu_has_its_stamp_there():
    """Whether it is stale is no matter of a test: `python -m warpbook stale` says it."""
    wanted = {"gpu", "driver", "cuda", "cupy", "libraries", "clock_mhz", "copy_gb_per_s", "date"}
    for path in PAGES:
        if gpu := read(path).metadata.get(chapters.KEY, {}).get("gpu"):
            made = chapters.stamp(path)
            assert made.get("gpu") == gpu, f"{chapters.slug(path)} has no stamp of the {gpu}"
            assert wanted | {"code", "files", "modules"} <= set(made)


# Planted faults: each check can fail.


@pytest.fixture
def good():
    """A small chapter without a fault."""
    new = nbformat.v4
    text = "# Title\n\n" + "\n\n".join(f"## {h}. More\n\n" for h in HEADINGS)
    notebook = new.new_notebook(
        cells=[
            new.new_markdown_cell(text),
            new.new_code_cell(
                chapters.setup_cell(), metadata={"tags": ["setup"]}, execution_count=1
            ),
            new.new_code_cell("show('coalescing/01_strided')", execution_count=2),
            new.new_code_cell(
                "1 / 0",
                metadata={"tags": ["raises-exception"]},
                execution_count=3,
                outputs=[new.new_output("error", ename="ZeroDivisionError")],
            ),
        ]
    )
    notebook.metadata.update(nbformat.from_dict(notebooks.METADATA))
    return notebook


@pytest.mark.parametrize("check", CHECKS, ids=lambda f: f.__name__)
def test_a_good_chapter_has_no_fault(good, check):
    assert check(good) == []


def test_what_every_front_end_renders_is_no_fault(good):
    _add(good, "> **Note.** text\n\n<details>\n<summary>Hint</summary>\n\n`:::`\n\n</details>")
    imported = "from warpbook import (INK,\n                      explore)\n"
    good.cells.insert(1, _folded(f'{imported}explore("banks")'))
    chapters.set_up(good)
    assert shape(good) == []
    _add(good, '```c\nasm("x" ::: "memory");\n% 2\n```\n\n{x} of `{doc}` and $^{2}$')
    start, grade = (nbformat.v4.new_code_cell(f'{verb}("a/b")') for verb in ("start", "grade"))
    good.cells += [start, grade]
    assert directives(good) + folds(good) + ungraded(good) == []


def _cell(notebook, **change):
    notebook.cells[2].update(change)


def _folded(source):
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["hide-input"]})


def _add(notebook, text):
    notebook.cells.append(nbformat.v4.new_markdown_cell(text))


FAULTS = [
    (folded, lambda n: _cell(n, source='predict("a", "How many?", "sectors")')),
    (folded, lambda n: _cell(n, metadata={"tags": ["answer"]})),
    (order, lambda n: _cell(n, execution_count=4)),
    (order, lambda n: _cell(n, execution_count=None)),
    (outputs, lambda n: n.cells[3].metadata.clear()),
    (outputs, lambda n: n.cells[3].outputs.clear()),
    (
        outputs,
        lambda n: _cell(
            n, outputs=[nbformat.v4.new_output("stream", name="stderr", text="a warning")]
        ),
    ),
    (layout, lambda n: n.metadata.clear()),
    (layout, lambda n: n.metadata.kernelspec.update(display_name="Python 3")),
    (layout, lambda n: n.metadata.language_info.update(version="3.11.7")),
    (layout, lambda n: n.metadata.update(warpbook={"seconds": 66.0})),
    (shape, lambda n: _cell(n, source="1" * (WIDEST + 1))),
    (shape, lambda n: n.cells[1].update(source="import warpbook")),
    (shape, lambda n: n.cells[1].metadata.clear()),
    (shape, lambda n: n.cells.insert(1, nbformat.v4.new_code_cell("1"))),
    (shape, lambda n: n.cells.insert(1, _folded('explore("banks")'))),
    (shape, lambda n: n.cells.__setitem__(slice(1, 1), [_folded("1"), _folded("2")])),
    (shape, lambda n: n.cells.append(copy.deepcopy(n.cells[1]))),
    (headings, lambda n: n.cells[0].update(source=n.cells[0].source.replace("Step 1", "First"))),
    (headings, lambda n: n.cells[0].update(source=n.cells[0].source.replace("# Title", "Title"))),
    (
        headings,
        lambda n: n.cells[0].update(
            source=n.cells[0]
            .source.replace("The ladder", "x")
            .replace("The task", "The ladder")
            .replace("x", "The task")
        ),
    ),
    (paths, lambda n: _cell(n, source="load('coalescing/99_none')")),
    (paths, lambda n: _cell(n, source="diff('coalescing/01_strided', 'coalescing/none')")),
    (paths, lambda n: _cell(n, source="%pip install x\ngrade('coalescing/none')")),
    (shape, lambda n: _add(n, f"```c\n{'x' * (WIDEST + 1)}\n```")),
    (directives, lambda n: _add(n, ":::{admonition} Note\ntext\n:::")),
    (directives, lambda n: _add(n, "```{note}\ntext\n```")),
    (directives, lambda n: _add(n, "as {doc}`05_coalescing` says")),
    (directives, lambda n: _add(n, "(a-target)=\n### Heading")),
    (folds, lambda n: _add(n, "<details>\n<summary>Hint</summary>\n**bold**\n</details>")),
    (folds, lambda n: _add(n, "<details>\n<summary>Hint</summary>\n\ntext\n\n")),
    (ungraded, lambda n: _cell(n, source='start("coalescing/layout")')),
    (
        ungraded,
        lambda n: (
            _cell(n, source='grade("coalescing/fix_stride", path)\n1')
            or n.cells.append(nbformat.v4.new_code_cell('start("coalescing/fix_stride")'))
        ),
    ),
]


@pytest.mark.parametrize(
    "check, change", FAULTS, ids=[f"{check.__name__}{i}" for i, (check, _) in enumerate(FAULTS)]
)
def test_a_planted_fault_is_found(good, check, change):
    bad = copy.deepcopy(good)
    change(bad)
    assert check(bad) != []


def test_a_dead_link_and_an_unused_kernel_are_found(good):
    good.cells[0].source += "[here](nowhere.md) and {doc}`99_none`"
    assert len(links(good, chapters.BOOK)) == 2
    assert unused([Path("a.cu"), Path("b.cu")], [Path("a.cu")]) == [Path("b.cu")]

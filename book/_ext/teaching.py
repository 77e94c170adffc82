"""The teacher's guide: its tables are made of figures, results, counts, pages and planted mistakes.

% live:
%   sectors stride=8            a figure of the page figures.md and its setting: what it says
% claims of coalescing:
%   A stride multiplies         how a claim's sentence begins: its numbers on each GPU
% mistakes in vector_add/deal:
%   by_lane: what it teaches    a section of tests/planted/: what is wrong there, and your words
"""

import html
import math
import re
from pathlib import Path

import gpus
import pandas as pd
import reference

from warpbook import explore, launch_line, occupancy
from warpemu import nvrtc

PAGE = "teaching"
BLOCK = re.compile(
    r"^% (live|counts|plan of|claims of|mistakes in)(?: ([\w/| ]+))?:\n((?:%   .*\n)+)", re.M
)
COUNTED = {"T4": (7, 5), "H200": (9, 0)}


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        source[0] = filled(source[0], Path(app.srcdir))


def filled(text, book):
    """The page's text with its tables. Raises ValueError for what a table cannot find."""
    found = gpus.read(book / "results")
    planted = book.parent / "tests" / "planted"

    def table(block):
        kind, what, lines = block.groups()
        items = [line.removeprefix("%   ") for line in lines.splitlines()]
        if kind == "live":
            return live(items)
        if kind == "counts":
            return counts(items)
        if kind == "plan of":
            return plan(what, items, reference.chapters(book))
        return claims(what, items, found) if kind == "claims of" else mistakes(what, items, planted)

    return BLOCK.sub(table, text)


def live(items):
    """A link to each figure at a setting, and the sentence that it shows there."""
    rows = ["| Show | What the figure says |", "| --- | --- |"]
    for item in items:
        name, *words = item.split()
        state = dict(word.split("=") for word in words)
        typed = {key: int(v) if v.isdigit() else v for key, v in state.items()}
        said = explore(name, **typed).text.partition(". ")[2]
        address = "&".join(f"{name}.{key}={value}" for key, value in state.items())
        shown = ", ".join(f"{key} {value}" for key, value in state.items())
        link = f'<a href="figures.html#{html.escape(address)}">{name}: {shown}</a>'
        rows.append(f"| {link} | {gpus.escape(said)} |")
    return "\n".join(rows) + "\n"


def counts(lines):
    """What each launch asks of memory, by the emulator, and how full an SM is with it."""
    heads = ["Launch", "Sectors a load", "Sectors a store", "Wavefronts a shared access"]
    heads += [f"Warps on an SM, {gpu}" for gpu in COUNTED]
    rows = [f"| {' | '.join(heads)} |", "| --- |" + " --: |" * (len(heads) - 1)]
    for line in lines:
        launch = launch_line(line)
        seen = launch.emulate(trace=True)
        cells = [
            share(seen.global_ld_sectors, seen.global_ld_requests),
            share(seen.global_st_sectors, seen.global_st_requests),
            share(
                seen.shared_ld_wavefronts + seen.shared_st_wavefronts,
                seen.shared_ld_requests + seen.shared_st_requests,
            ),
            *(held(launch, capability) for capability in COUNTED.values()),
        ]
        rows.append(f"| `{line}` | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def share(part, whole):
    return f"{part / whole:.3g}" if whole else "none"


def held(launch, capability):
    """'75 %': the warps that fit on an SM, of the most, for what that GPU's compiler makes."""
    kernel = launch.load()
    arch = "sm_{}{}".format(*capability)
    said = nvrtc.verbose(kernel.source.unit, kernel.source.path.name, kernel.options, arch)
    registers = int(re.search(r"Used (\d+) registers", said)[1])
    static = re.search(r"(\d+) bytes smem", said)
    shared = launch.shared_bytes + int(static[1] if static else 0)
    threads = math.prod(launch.block)
    return f"{occupancy(threads, registers, shared, capability=capability).share * 100:.0f} %"


def plan(heads, lines, found):
    """A table in whose rows chapters are links, with the minutes of reading that they say."""
    named = {chapter.slug: chapter for chapter in found}
    heads = [*heads.split(" | "), "Minutes of reading"]
    rows = [f"| {' | '.join(heads)} |", "|" + " --- |" * (len(heads) - 1) + " --: |"]
    for line in lines:
        words = re.findall(r"[\w/]+", line)
        minutes = sum(named[word].front[0] for word in words if word in named)
        linked = re.sub(r"[\w/]+", lambda word: chapter_link(word[0], named), line)
        rows.append(f"| {linked} | {minutes or ''} |")
    return "\n".join(rows) + "\n"


def chapter_link(word, named):
    """A chapter's slug as a link with its number and its name; any other word as it is."""
    chapter = named.get(word)
    return f"[{chapter.number} {chapter.name}]({chapter.page}.ipynb)" if chapter else word


def claims(chapter, items, found):
    """The claims that begin with these words, with the numbers that each GPU measured."""
    table = gpus.verdicts(found, chapter)
    rows = []
    for item in items:
        fits = [row for _, row in table.iterrows() if row["Claim"].startswith(gpus.escape(item))]
        if len(fits) != 1:
            raise ValueError(
                f"{PAGE}.md: {len(fits)} claims of {chapter} begin with '{item}'. Write how one "
                f"sentence in results/*/claims.csv begins."
            )
        rows.append(fits[0].drop("Checked"))
    shown = pd.DataFrame(rows).rename(columns={"Claim": "What the page measures"})
    return gpus.grid(shown)


def mistakes(exercise, items, planted):
    """What is wrong in planted solutions, by how their sections begin, and what each teaches."""
    rows = [f"| Mistake in `{exercise}` | What it teaches |", "| --- | --- |"]
    for item in items:
        stem, _, lesson = item.partition(": ")
        path = planted / f"{exercise}.cu"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found = re.search(rf"^// WRONG {stem}: (.+)$", text, re.M)
        if not found and planted.is_dir():
            raise ValueError(f"{PAGE}.md: there is no '// WRONG {stem}: ...' in {path}.")
        said = found[1] if found else stem.replace("_", " ")  # an edition without tests
        rows.append(f"| {gpus.escape(said[:1].upper() + said[1:])} | {lesson} |")
    return "\n".join(rows) + "\n"

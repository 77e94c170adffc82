"""Wording: the sentence and the bounds of a claim are no measurement, and may change without one.

The HTML of a recorded claim keeps its numbers. ``reword`` makes the claim that a page's cell says
today of them, and refuses one that does not hold. So a sentence is mended, or a bound tightened, at
no GPU's cost; what the numbers come from, the rest of the cell, is measured as ever.
"""

import ast
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from warpbook import results
from warpbook.measure import claims as measured

MAGIC = re.compile(r"^(\s*)([%!].*)", re.M)
NUMBERS = re.compile(r"data-numbers='([^']*)'")
WORDS = 2  # arguments of a claim: the sentence and its check


def _calls(tree):
    """The calls of ``claim`` in a syntax tree, in the order of their lines."""
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    found = [n for n in found if getattr(n.func, "id", "") == "claim" and n.args]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def claims(source: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (the sentence, its check, the names of its numbers) of each claim that a cell makes.

    What is not written as a text stands there as the code that makes it. No names: neither they nor
    the words are all in the cell.
    """
    for call in _calls(ast.parse(MAGIC.sub(r"\1pass", source))):
        said = [a.value if isinstance(a, ast.Constant) else ast.unparse(a) for a in call.args]
        names = [keyword.arg for keyword in call.keywords]
        open_ = None in names or not all(isinstance(a, ast.Constant) for a in call.args)
        yield said[0], said[1] if len(said) > 1 else "", [] if open_ else names


def without_words(source: str) -> str:
    """Return the code of a cell without the words of its claims; as it is where it has none."""
    if "claim(" not in source:
        return source
    try:
        tree = ast.parse(MAGIC.sub(r"\1pass", source))
    except SyntaxError:
        return source
    calls = _calls(tree)
    for call in calls:
        call.args[:WORDS] = [ast.Constant("") for _ in call.args[:WORDS]]
    said = [line for _, line in MAGIC.findall(source)]
    return "\n".join([*said, ast.unparse(tree)]) if calls else source


def outdated(notebook: Any, rows: list[dict[str, str]]) -> list[str]:
    """Return the sentences of a recorded page's claims that the results do not have so.

    rows: those of the page in claims.csv.
    """
    have = {(row["sentence"], row["checked"]) for row in rows}
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and _shown(cell):
            for sentence, check, names in claims(cell.source):
                if names and (sentence, measured.worded(sentence, check, names)) not in have:
                    found.append(sentence)
    return found


def reword(notebook: Any, rows: list[dict[str, str]]) -> int:
    """Word the claims of a recorded page as its cells say today; return how many have changed.

    notebook: its outputs are changed in place. rows: those of the page in claims.csv, too.
    Raises ValueError for a claim that does not hold with the numbers recorded, or whose numbers
    were not kept: then the page has to be recorded.
    """
    changed = 0
    for cell in notebook.cells:
        shown = _shown(cell) if cell.cell_type == "code" else []
        said = list(claims(cell.source)) if shown else []
        if len(said) != len(shown):
            raise ValueError(f"cell {cell.id}: {len(said)} claims, {len(shown)} shown: record it.")
        for (sentence, check, _), output in zip(said, shown, strict=True):
            row = next(r for r in rows if _repr(r) == output["data"]["text/plain"])
            kept = NUMBERS.search(output["data"]["text/html"])
            if not kept:
                continue  # ``outdated`` says whether it must be recorded
            made = measured.state(sentence, check, json.loads(unescape(kept[1])))
            if made.status != "holds":
                raise ValueError(f"cell {cell.id}: does not hold: {made!r}")
            if repr(made) != _repr(row):
                output["data"] |= {"text/plain": repr(made), "text/html": made._repr_html_()}
                row |= {"sentence": sentence, "status": made.status, "measured": made.text}
                row["checked"] = made.checked
                changed += 1
    if lost := outdated(notebook, rows):
        raise ValueError(f"their numbers were not kept, so record the page: {lost}")
    return changed


def _repr(row):
    return repr(measured.Claim(row["status"], row["measured"], row["checked"]))


def _shown(cell):
    """The outputs of a cell that are claims."""
    found = [output for output in cell.outputs if "text/html" in output.get("data", {})]
    return [o for o in found if '<div class="warp-claim"' in o["data"]["text/html"]]


def reword_page(path: Path, slug: str, gpu: str) -> int:
    """``reword`` a page in its file, and its rows in the results of a GPU."""
    from warpbook.recording.notebooks import read, write

    folder, notebook = results.folder_of(gpu), read(path)
    rows = [row for row in results.read(folder / "claims.csv") if row["chapter"] == slug]
    changed = reword(notebook, rows)
    if changed:
        results.replace_claims(gpu, slug, rows)
        write(notebook, path)
    return changed

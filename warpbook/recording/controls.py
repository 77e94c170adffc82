"""Controls: the cell that proves what a claim says, named in the metadata of the claim's cell.

    "metadata": {"control": "s2-run"}

The control is the code cell whose run changes only what the claim gives as its cause. A claim with
several causes names several cells, with spaces between them.
"""

from pathlib import Path
from typing import Any

from warpbook.recording import notebooks, wording


def named(cell: Any) -> list[str]:
    """Return the ids of the cells that a cell names as its controls."""
    return str(cell.metadata.get("control", "")).split()


def unknown(notebook: Any) -> list[str]:
    """Return the ids that cells name as their controls and that no code cell has."""
    code = {cell.id for cell in notebook.cells if cell.cell_type == "code"}
    return [name for cell in notebook.cells for name in named(cell) if name not in code]


def missing(path: Path) -> list[tuple[str, str]]:
    """Return (the cell's id, the claim's sentence) of a page's claims that name no control."""
    return [
        (cell.id, sentence)
        for cell in notebooks.read(path).cells
        if cell.cell_type == "code" and not named(cell)
        for sentence, *_ in wording.claims(cell.source)
    ]

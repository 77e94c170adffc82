"""Draw the README's picture, the coalescing chapter's ladder, from what that chapter recorded.

python tools/picture.py        (`make record` runs it)
"""

import json
from pathlib import Path

import pandas as pd

from warpbook import results
from warpbook.display.plots import ladder

BOOK = Path(__file__).resolve().parents[1] / "book"
CHAPTER = "coalescing"
PICTURE = BOOK / "_static" / "ladder.svg"


def draw(book=BOOK):
    """The ladder of the GPU that the chapter's page was recorded on, as a warpbook Figure."""
    (page,) = book.glob(f"[0-9][0-9]_{CHAPTER}.ipynb")
    gpu = json.loads(page.read_text())["metadata"]["warpbook"]["gpu"]
    rows = pd.read_csv(book / "results" / results.slug(gpu) / "measurements.csv")
    rows = rows[rows["chapter"] == CHAPTER].set_index("kernel")
    bound = rows["gb_per_s"]["device copy"]
    return ladder(rows, unit=f"useful GB/s on one {gpu}", bound=bound)


if __name__ == "__main__":
    draw().save(PICTURE)
    print(f"wrote {PICTURE.relative_to(BOOK.parent)}")

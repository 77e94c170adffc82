"""Draw the README's picture, the coalescing chapter's ladder, from what that chapter recorded.

`make record` runs it: python book/_ext/picture.py
"""

import json
import sys
from pathlib import Path

import pandas as pd

BOOK = Path(__file__).resolve().parent.parent
CHAPTER = "05_coalescing"
PICTURE = BOOK / "_static" / "ladder.svg"


def draw(book=BOOK):
    """The ladder of the GPU that the chapter's page was recorded on, as a warpbook Figure."""
    from warpbook.display.plots import ladder
    from warpbook.results import slug

    gpu = json.loads((book / f"{CHAPTER}.ipynb").read_text())["metadata"]["warpbook"]["gpu"]
    rows = pd.read_csv(book / "results" / f"{slug(gpu)}.csv")
    rows = rows[rows.chapter == CHAPTER].set_index("kernel")
    bound = rows.gb_per_s["device copy"]
    return ladder(rows, unit=f"useful GB/s on one {gpu}", bound=bound)


if __name__ == "__main__":
    sys.path.insert(0, str(BOOK.parent))
    draw().save(PICTURE)
    print(f"wrote {PICTURE.relative_to(BOOK.parent)}")

"""Bring the README's picture and its table up to what the chapters recorded.

python tools/readme.py        (`make record` runs it)
"""

import json
from pathlib import Path

import pandas as pd

from warpbook import results
from warpbook.display.plots import ladder

ROOT = Path(__file__).resolve().parents[1]
BOOK, README = ROOT / "book", ROOT / "README.md"
CHAPTER = "matmul_ladder"
SIZE = "4096"
STEPS = {  # of the picture: the chapter's contestants, and what they are called there
    "01_naive": "naive",
    "02_coalesced": "coalesced",
    "03_tiled": "tiles",
    "08_thread_2d": "8 × 8 a thread",
    "10_float4": "float4",
    "12_conflict_free": "no conflicts",
    "18_hoisted": "addresses first",
    "19_fragments": "reads ahead",
    "22_shared_tiles": "shared tiles",
    "cuBLAS": "cuBLAS",
}
PICTURE = BOOK / "_static" / "ladder.svg"
BEGIN, END = "<!-- tools/readme.py writes this table -->\n", "<!-- to here -->\n"
# A line of the table: what is computed; the chapter, and the size of the run there; three of its
# contestants: the first kernel, the best one, the library's.
CAUSAL = "flash attention, 8192, causal"
LINES = (
    ("transpose", "transpose", "16384x16384", "naive", "downwards", "geam"),
    ("sum", "reduction", "268435456", "interleaved, %", "tickets", "CUB"),
    ("prefix sum", "scan", "scan 268435456", "three passes", "both early", "CUB"),
    ("matrix times vector", "matvec", "16384", "a thread a row", "a block a row", "cuBLAS"),
    ("matmul, float", "matmul_ladder", "4096", "01_naive", "22_shared_tiles", "cuBLAS"),
    ("matmul, bfloat16, `mma`", "tensor_cores", "4096", "scalar loads", "16-byte stores", "cuBLAS"),
    ("matmul, bfloat16, `wgmma`", "hopper", "8192", "wgmma", "192 columns", "cuBLASLt, best"),
    ("causal attention", "flash_hopper", CAUSAL, "08_wgmma", "19, 32 MiB", "cuDNN"),
)
FULL_NAMES = {"geam": "cuBLAS geam"}


def page(chapter, book=BOOK):
    """The file of a chapter, whatever its number."""
    (path,) = book.glob(f"[0-9][0-9]_{chapter}.ipynb")
    return path


def recorded(book=BOOK):
    """The GPU that the pages were recorded on, and all that their races measured there."""
    text = page(CHAPTER, book).read_text(encoding="utf-8")
    gpu = json.loads(text)["metadata"]["warpbook"]["gpu"]
    return gpu, pd.read_csv(book / "results" / results.slug(gpu) / "measurements.csv")


def draw(book=BOOK):
    """The ladder of matrix products, from naive past the library, as a warpbook Figure."""
    gpu, rows = recorded(book)
    rows = rows[(rows["chapter"] == CHAPTER) & (rows["size"] == SIZE)].set_index("kernel")
    rows = rows.loc[list(STEPS)].rename(STEPS)
    rows["tflop_per_s"] = rows["gflop_per_s"] / 1000
    bound = (rows["tflop_per_s"] * rows["ms"] / rows["bound_ms"]).median()
    return ladder(rows, "tflop_per_s", f"TFLOP/s on one {gpu}, float32", bound=bound)


def rate(row):
    """A measured rate in words: of operations where they were counted, else of bytes."""
    if row["gflop_per_s"] > 0:
        return f"{row['gflop_per_s'] / 1000:.3g} TFLOP/s"
    return f"{row['gb_per_s']:,.0f} GB/s"


def table(book=BOOK):
    """The table of LINES in Markdown. A run that a chapter no longer makes is a KeyError."""
    gpu, rows = recorded(book)
    key = ["chapter", "size", "kernel"]
    rows = rows.drop_duplicates(key).set_index(key)
    lines = [
        f"| Rates on one {gpu} | first kernel | best kernel | the library | best / library |",
        "|---|--:|--:|--:|--:|",
    ]
    for what, chapter, size, *contestants in LINES:
        first, best, library = (rows.loc[(chapter, size, name)] for name in contestants)
        link = f"[{what}](book/{page(chapter, book).name})"
        theirs = f"{FULL_NAMES.get(contestants[-1], contestants[-1])} {rate(library)}"
        share = library["ms"] / best["ms"]
        lines.append(f"| {link} | {rate(first)} | {rate(best)} | {theirs} | {share:.0%} |")
    return "\n".join(lines) + "\n"


def written(text, new):
    """A README's text with ``new`` between the two markers."""
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"README.md needs the lines {BEGIN.strip()} and {END.strip()}: add them.")
    return before + BEGIN + new + END + after


if __name__ == "__main__":
    draw().save(PICTURE)
    README.write_text(written(README.read_text(encoding="utf-8"), table()), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)} and the table in {README.name}")

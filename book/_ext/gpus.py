"""The page 'Results by GPU' is made from results/*.csv whenever the book is built."""

import pandas as pd

PAGE = "results_by_gpu"
ROWS = ["chapter", "size", "kernel"]


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        source[0] += markdown(read(app.srcdir / "results"), app.env.found_docs)


def read(folder):
    """Every row of every GPU's file; one column, gpu, says whose it is."""
    files = [f for f in sorted(folder.glob("*.csv")) if not f.name.startswith("counters_")]
    return pd.concat([pd.read_csv(f, dtype={"size": str}) for f in files]) if files else None


def markdown(rows, pages=()):
    """The page's body: the GPUs, then for each chapter a table with the GPUs side by side."""
    if rows is None:
        return "\nNo GPU has been measured yet.\n"
    parts = ["\n## The GPUs\n", grid(machines(rows))]
    for chapter, part in rows.groupby("chapter"):
        number, _, words = chapter.partition("_")
        parts.append(f"\n## Chapter {int(number)}: {words.replace('_', ' ')}\n")
        parts += [f"From {{doc}}`{chapter}`.\n"] if chapter in pages else []
        parts.append(grid(wide(part)))
    return "\n".join(parts) + "\n"


def machines(rows):
    """One row a GPU: driver, CUDA and the day of its newest row."""
    newest = rows.sort_values("date").groupby("gpu").last().reset_index()
    return newest[["gpu", "driver", "cuda", "date"]].set_axis(
        ["GPU", "Driver", "CUDA", "Recorded"], axis=1)


def wide(rows):
    """One row a kernel and size, one column a GPU, in the order of the files."""
    rows = rows.assign(text=rows.apply(cell, axis=1))
    table = rows.pivot_table(index=ROWS[1:], columns="gpu", values="text", aggfunc="last",
                             sort=False).reset_index()
    return table.rename(columns={"size": "Run", "kernel": "Kernel"}).fillna("")


def cell(row):
    """'0.123 ms, 2912 GB/s, 96 % of the bound': what the row has of it."""
    words = [f"{row.ms:.3g} ms"]
    if row.gb_per_s == row.gb_per_s:
        words.append(f"{row.gb_per_s:,.0f} GB/s")
    elif row.gflop_per_s == row.gflop_per_s:
        words.append(f"{row.gflop_per_s:,.0f} GFLOP/s")
    if row.bound_ms == row.bound_ms:
        words.append(f"{row.bound_ms / row.ms:.0%} of bound")
    return ", ".join(words)


def grid(table):
    """A Markdown table."""
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1], *table.astype(str).values]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"

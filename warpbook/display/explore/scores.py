"""Attention tile by tile: which scores exist when, which never do, which the mask cuts."""

from collections.abc import Iterable
from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, amount, at, box, several, short

LEFT, TOP, SIDE = 56, 20, 384  # px of the square
ATTENTIONS = {"causal": "Causal", "full": "Full"}


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def bands(runs: Iterable[tuple[int, int]], rows: int, cols: int, scale: float) -> str:
    """Boxes for [(first tile, tile behind the last)] of each block; equal neighbours are one."""
    drawn, last, begin = "", (0, 0), 0
    for block, run in enumerate([*runs, (0, 0)]):
        if run == last:
            continue
        if last[0] < last[1]:
            drawn += box(LEFT + last[0] * cols * scale, TOP + begin * rows * scale,
                         (last[1] - last[0]) * cols * scale,
                         (block - begin) * rows * scale)  # fmt: skip
        last, begin = run, block
    return drawn


def scores(n: int, rows: int, cols: int, attention: str, step: int) -> dict[str, Any]:
    """How many tiles each block of queries visits, counts, a sentence, a drawing."""
    causal = attention == "causal"
    blocks, wide = ceil_div(n, rows), ceil_div(n, cols)
    # A block walks over the tiles up to the last key that its last query looks at. Whole are those
    # before the first key that its first query does not look at.
    visited = [
        ceil_div(min(n, rows * (block + 1)), cols) if causal else wide for block in range(blocks)
    ]
    whole = [(min(n, rows * block + 1) if causal else n) // cols for block in range(blocks)]
    tiles, cut = sum(visited), sum(visited) - sum(whole)
    computed = tiles * rows * cols
    counting = n * (n + 1) // 2 if causal else n * n
    now = min(step, max(visited) + 1)
    working = sum(now <= tiles for tiles in visited) if now else 0
    held = 4 * working * rows * cols
    said = (
        f"{ATTENTIONS[attention]} attention: {several(blocks, 'block')} of {rows} queries "
        f"{'visits' if blocks == 1 else 'visit'} {tiles:,} of {several(blocks * wide, 'tile')}, "
        f"and {cut:,} of them {'is' if cut == 1 else 'are'} cut by the mask or the end. That is "
        f"{several(computed, 'score')}, {short(computed / counting)} for each that counts. To "
        f"write all scores down takes {amount(4 * n * n, 'B')}. "
    )
    if now == 0:
        said += "Before the first step there are none."
    elif working == 0:
        said += f"After {several(max(visited), 'step')} all are gone."
    else:
        takes = "exists takes" if working == 1 else "exist take"
        said += f"In step {now} the {several(working, 'tile')} that {takes} {amount(held, 'B')}."

    scale = SIDE / max(blocks * rows, wide * cols)
    gone = [(0, min(now - 1, tiles) if now else 0) for tiles in visited]
    held_now = [(now - 1, now) if 0 < now <= tiles else (0, 0) for tiles in visited]
    coming = [(min(now, tiles), tiles) for tiles in visited]
    cuts = list(zip(whole, visited, strict=True))
    edge = n * scale
    lines = ""
    if cols * scale >= 6:
        for col in range(1, wide):
            top = next(block for block in range(blocks) if visited[block] > col)
            lines += f"M{at(LEFT + col * cols * scale)} {at(TOP + top * rows * scale)}"
            lines += f"V{at(TOP + blocks * rows * scale)}"
    if rows * scale >= 6:
        for block in range(1, blocks):
            lines += f"M{LEFT} {at(TOP + block * rows * scale)}"
            lines += f"h{at(visited[block] * cols * scale)}"
    frame = box(LEFT, TOP, edge, edge)
    if causal:
        frame += f"M{LEFT} {TOP}L{at(LEFT + edge)} {at(TOP + edge)}"
    texts: list[list[Any]] = [
        [LEFT, 13, f"keys 0 to {n - 1:,}", ""],
        [LEFT - 5, TOP + 12, "queries", "w-end"],
    ]
    return {
        "visited": visited, "cut": cut, "computed": computed, "counting": counting,
        "held": held, "said": said, "height": TOP + SIDE + 4,
        "paths": [
            ["w-idle", bands(gone, rows, cols, scale)], ["w-lines", lines],
            ["w-lines", bands(coming, rows, cols, scale)],
            ["w-used", bands(held_now, rows, cols, scale)],
            ["w-over", bands(cuts, rows, cols, scale)], ["w-frame", frame],
        ],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Which scores exist when",
    "Queries go down, keys to the right. Every block of queries walks along its row, and holds one "
    "tile of scores at a time. Blue: the tiles that exist now. Grey: those that are gone. In thin "
    "lines: those to come. Dashed orange: cut tiles, in which some scores are computed and masked. "
    "What has no lines is never computed.",
    scores,
    {
        "n": Knob("Length, queries and keys", 1024, range(16, 8193), 0),
        "rows": Knob("Queries in a tile", 128, (64, 128, 256)),
        "cols": Knob("Keys in a tile", 128, (32, 64, 128, 256)),
        "attention": Knob("Attention", "causal", ATTENTIONS),
        "step": Knob("Step", 4, range(258)),
    },
    ("plot", "scores"),
    ATTENTIONS,
)

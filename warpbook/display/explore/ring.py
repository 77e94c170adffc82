"""A ring of stages over time: copies fill it, products empty it, and one of the two waits."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, ladder_of, several, short

LEFT, WIDE, TOP, ROW = 66, 374, 20, 22  # px: of the timeline


def ring(stages: int, latency: int, gap: int, product: int, tiles: int) -> dict[str, Any]:
    """When each tile is asked for and multiplied, a sentence, a drawing."""
    asked: list[int] = []
    done: list[int] = []
    waited = 0  # for a free stage, of the producer
    for tile in range(tiles):
        ready = asked[-1] + gap if tile else 0
        asked.append(max(ready, done[tile - stages] if tile >= stages else 0))
        waited += asked[-1] - ready
        done.append(max(asked[-1] + latency, done[-1] if tile else 0) + product)
    time = done[-1]
    share = (200 * tiles * product + time) // (2 * time)
    # In the long run: what a tile takes, times the stages, so that all are whole numbers.
    period = max(stages * product, stages * gap, latency + product)
    need = -(-(latency + product) // max(gap, product))
    said = (
        f"{several(stages, 'stage')}, {several(tiles, 'tile')}: all are multiplied after "
        f"{several(time, 'unit')} of time, of which products take {share} %. In the long run a "
        f"tile takes {short(period / stages)}: "
    )
    if period == stages * product:
        said += "its product takes that long, and the products wait for nothing. "
        said += (
            "The producer waits for a free stage"
            if waited else "The producer has found a free stage every time so far"
        )  # fmt: skip
        said += f", and {several(need, 'stage')} would do." if stages > need else "."
    elif period == stages * gap:
        said += "copies come no faster. The products wait for them, and more stages do not help."
    else:
        said += (
            f"each stage is taken for {latency} + {product} = {latency + product}. The products "
            f"wait for copies, and the copies for free stages; with {several(need, 'stage')} "
            + ("the products would not wait." if product >= gap else "the stages would be enough.")
        )

    unit = WIDE / time
    bottom = TOP + ROW * stages + 10  # of the stages; then comes the row of products

    def bar(start, end, y):
        return box(LEFT + unit * start, y, unit * (end - start), ROW - 5)

    used = hot = idle = ""
    texts: list[list[Any]] = [[LEFT - 5, 13, "stage", "w-end"]]
    for tile in range(tiles):
        y, landed, start = TOP + ROW * (tile % stages), asked[tile] + latency, done[tile] - product
        used += bar(asked[tile], landed, y)
        if start > landed:
            idle += bar(landed, start, y)
        hot += bar(start, done[tile], y) + bar(start, done[tile], bottom)
        if unit * product >= 18:
            texts.append([at(LEFT + unit * start + 3), bottom + 13, str(tile), ""])
        if unit * latency >= 18:
            texts.append([at(LEFT + unit * asked[tile] + 3), y + 13, str(tile), ""])
    texts += [[LEFT - 5, TOP + ROW * k + 13, str(k), "w-end"] for k in range(stages)]
    texts.append([LEFT - 5, bottom + 13, "products", "w-end"])
    texts += [
        [at(LEFT + unit * moment), 13, f"{moment:,}", "w-mid" if moment else ""]
        for moment in range(0, time + 1, ladder_of(38 / unit))
    ]
    return {
        "asked": asked, "done": done, "waited": waited, "share": share, "need": need,
        "said": said, "height": bottom + ROW,
        "paths": [["w-idle", idle], ["w-used", used], ["w-hot", hot],
                  ["w-frame", box(LEFT, bottom, WIDE, ROW - 5)]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "A ring of stages: who waits for whom",
    "A row is a stage, with the numbers of its tiles. Blue: a copy is on its way. Grey: the tile "
    "is there and waits for its turn. Orange: it is multiplied. Nothing: the stage is free. In the "
    "last row all products, one after the other: what is empty there is lost.",
    ring,
    {
        "stages": Knob("Stages", 2, range(1, 9)),
        "latency": Knob("A copy lands after", 6, range(1, 25)),
        "gap": Knob("A copy may begin every", 2, range(1, 13)),
        "product": Knob("A product takes", 3, range(1, 13)),
        "tiles": Knob("Tiles", 12, range(2, 25)),
    },
    ("plot", "ring"),
)

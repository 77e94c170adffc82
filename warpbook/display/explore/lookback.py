"""A scan in one pass over time: tiles that load, publish, look back and store."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, ladder_of, several

LEFT, WIDE, TOP = 46, 380, 20  # px: of the timeline
LATE = 2  # the tile whose load may take longer, if there are so many


def simulate(
    tiles: int, places: int, window: int, load: int, look: int, late: int, slow: int
) -> tuple[list[dict[str, int]], int]:
    """What each tile does when, in tile order, and how many looks there were.

    A tile begins when a place is free, loads, publishes its own sum, and looks back until it knows
    what stands before it; then it publishes the sum of all up to it, and stores. A look shows what
    was published when it began. late: how many times as long the load of the tile ``slow`` takes.
    """
    free, done, looks = [0] * places, [], 0
    for tile in range(tiles):
        free.sort()
        begin = free[0]
        alone = begin + load * (late if tile == slow else 1)
        now, end, number = alone, tile, 0
        while end > 0:
            began, now, number = now, now + look, number + 1
            for back in range(1, window + 1):
                if end - back < 0 or done[end - back]["all"] <= began:
                    end = 0  # it knows all before it
                    break
                if done[end - back]["alone"] > began:
                    break  # not there yet: look again at the same window
            else:
                end -= window
        looks += number
        free[0] = now + load
        done.append({"begin": begin, "alone": alone, "all": now, "end": free[0], "looks": number})
    return done, looks


def lookback(
    tiles: int, places: int, window: int, load: int, look: int, late: int, waits: str
) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    order = "later" if waits == "later" else "earlier"
    hangs = order == "later" and places < tiles
    room, slow = places, min(LATE, tiles - 1)
    if order == "later":  # as if the last tile were the first, and all began at once
        room, slow = tiles, tiles - 1 - slow
    done, looks = simulate(tiles, room, window, load, look, late, slow)
    if order == "later":
        done.reverse()
    time = max(tile["end"] for tile in done)
    if hangs:
        done = [
            {"begin": 0, "alone": tile["alone"], "all": 0, "end": 0, "looks": 0}
            for tile in done[:places]
        ]
        time = max(tile["alone"] for tile in done) + 8 * look
        looks = 0
    waited = sum(tile["all"] - tile["alone"] for tile in done)
    spent = sum(tile["end"] - tile["begin"] for tile in done)
    share = 0 if hangs else (200 * waited + spent) // (2 * spent)
    most = max(tile["looks"] for tile in done)
    said = (
        f"{several(tiles, 'tile')}, {several(places, 'block')} at once; a look shows "
        f"{several(window, 'tile')}. "
    )
    if hangs:
        said += (
            f"Each waits for later tiles, and tile {places} gets no place before one of tiles 0 "
            f"to {places - 1} has ended. None ever does: the grid hangs."
            if places > 1
            else "Tile 0 waits for later tiles, and tile 1 gets no place before tile 0 has ended, "
            "which it never does: the grid hangs."
        )
    else:
        said += (
            f"All is done after {time:,} units of time, with {several(looks, 'look')}, at most "
            f"{most} of one tile. Blocks spend {share} % of their time looking."
        )

    row, unit = min(264 / tiles, 22), WIDE / time

    def x(moment):
        return LEFT + unit * moment

    used = hot = idle = grid = ""
    for tile, row_of in enumerate(done):
        y, high = TOP + row * tile, row * 0.86
        used += box(x(row_of["begin"]), y, unit * (row_of["alone"] - row_of["begin"]), high)
        until = time if hangs else row_of["all"]
        if until > row_of["alone"]:
            hot += box(x(row_of["alone"]), y, unit * (until - row_of["alone"]), high)
        if not hangs:
            idle += box(x(row_of["all"]), y, unit * (row_of["end"] - row_of["all"]), high)
        if looks <= 120 and unit * look >= 4:
            grid += "".join(
                f"M{at(x(row_of['alone'] + look * k))} {at(y)}v{at(high)}"
                for k in range(1, row_of["looks"])
            )
    front = "" if hangs else "M" + "L".join(
        f"{at(x(tile['all']))} {at(TOP + row * (k + 0.43))}" for k, tile in enumerate(done)
    )  # fmt: skip
    bottom = TOP + row * tiles
    texts: list[list[Any]] = [[41, 13, "tile", "w-end"]]
    texts += [
        [at(x(moment)), 13, f"{moment:,}", "w-mid" if moment else ""]
        for moment in range(0, time + 1, ladder_of(38 / unit))
    ]
    texts += [
        [41, at(TOP + row * (k + 0.43) + 4.5), str(k), "w-end"]
        for k in range(0, tiles, ladder_of(15 / row))
    ]
    texts.append([LEFT + WIDE, at(bottom + 15), "time", "w-end"])
    return {
        "time": 0 if hangs else time, "looks": looks, "share": share, "hangs": hangs,
        "said": said, "height": at(bottom + 20),
        "paths": [["w-idle", idle], ["w-used", used], ["w-hot", hot], ["w-grid", grid],
                  ["w-frame", front]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "A scan in one pass: tiles that look back",
    "A row is a tile. Blue: it loads, adds up, and publishes its own sum at the end. Orange: it "
    "looks back for what stands before it, look after look. Grey: it stores. The line joins the "
    "moments from which on the sum of everything up to a tile is known.",
    lookback,
    {
        "tiles": Knob("Tiles", 16, range(2, 25)),
        "places": Knob("Blocks at once", 6, range(1, 25)),
        "window": Knob("Tiles that one look shows", 4, (1, 2, 4, 8, 16, 32)),
        "load": Knob("A load, and a store, take", 4, range(1, 10)),
        "look": Knob("A look takes", 1, range(1, 10)),
        "late": Knob("Tile 2 loads so many times as long", 1, range(1, 10)),
        "waits": Knob(
            "A tile waits for", "earlier", {"earlier": "earlier tiles", "later": "later tiles"}
        ),
    },
    ("plot", "lookback"),
)

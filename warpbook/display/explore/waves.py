"""A grid on the SMs over time: full waves of blocks, and the tail."""

from typing import Any

from warpbook.display.explore.kit import (
    Knob,
    Recipe,
    at,
    box,
    dot,
    ladder_of,
    several,
    short,
)

LEFT, WIDE, TOP, LOW = 46, 380, 20, 56  # px: the timeline's left edge, ..., the curve's height


def busy(blocks: int, room: int, slow: int) -> float:
    """The share of the places' time that blocks use, from the first to the last."""
    return (blocks - 1 + slow) / (room * (-(-blocks // room) - 1 + slow))


def waves(blocks: int, sms: int, places: int, slow: int) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    room = sms * places
    full, rest = divmod(blocks, room)
    number, last = full + (rest > 0), rest or room
    time, share = number - 1 + slow, short(100 * busy(blocks, room, slow))
    whole = f", the last one {slow}" if slow > 1 else ""
    said = (
        f"{several(blocks, 'block')} on {several(sms, 'SM')} with {several(places, 'place')} each: "
        f"ceil({blocks:,} / ({sms} × {places})) = {several(number, 'wave')}. The last wave has "
        f"{several(last, 'block')} for {several(room, 'place')}. If a block takes 1 ms{whole}, the "
        f"grid takes {time:,} ms; {share} % of the places' time is used."
    )

    # The timeline: an SM is a band, a place a row in it.
    row = min(264 / sms, 44)
    lane, unit, bottom = row / places, WIDE / time, TOP + row * sms

    def place(index):
        return TOP + index % sms * row + index // sms * lane

    deep, more = divmod(rest, sms)
    tail = [(row * i, (deep + (i < more)) * lane) for i in range(sms if deep else more)]
    if places == 1 and tail:
        tail = [(0, row * more)]
    hot = "".join(box(LEFT + unit * full, TOP + down, unit, high) for down, high in tail)
    if slow > 1:
        hot += box(LEFT + unit * (number - 1), place(last - 1), unit * slow, lane)
    grid = "".join(f"M{at(LEFT + unit * t)} {TOP}V{at(bottom)}" for t in range(time + 1)
                   if unit >= 4)  # fmt: skip
    if lane >= 4 and places > 1:
        grid += "".join(f"M{LEFT} {at(TOP + lane * k)}h{WIDE}" for k in range(room))
    frame = box(LEFT, TOP, WIDE, row * sms)
    if row >= 4:
        frame += "".join(f"M{LEFT} {at(TOP + row * k)}h{WIDE}" for k in range(1, sms))
    every = ladder_of(38 / unit)
    texts: list[list[Any]] = [
        [at(LEFT + unit * t), 13, f"{t:,}", "w-mid" if t else ""] for t in range(0, time + 1, every)
    ]
    every = ladder_of(15 / row)
    texts.append([LEFT + WIDE, at(bottom + 15), "time, ms", "w-end"])
    texts += [
        [41, at(TOP + row * (k + 0.5) + 4.5), str(k) if k else "SM 0", "w-end"]
        for k in range(0, sms, every)
    ]
    if room * time <= 64 and lane >= 12 and unit >= 24:
        texts += [
            [at(LEFT + unit * (b // room) + 4), at(place(b % room) + lane / 2 + 4.5), str(b), ""]
            for b in range(blocks)
        ]

    # The curve: what share is used, over the number of blocks.
    low = max(0, number - 12)
    high = max(4, number + 3)
    base = at(bottom + 46 + LOW)

    def point(b):
        x = at(LEFT + WIDE * (b - low * room) / ((high - low) * room))
        return x, at(base - LOW * busy(b, room, slow))

    ends = [end for w in range(low, high) for end in (w * room + 1, (w + 1) * room)]
    curve = "M" + "L".join("{} {}".format(*point(end)) for end in ends)
    x, y = point(blocks)
    texts += [[LEFT, at(bottom + 35), "share used, over the blocks of the grid", ""],
              [41, at(base - LOW + 9), "100 %", "w-end"], [41, base, "0 %", "w-end"]]  # fmt: skip
    every = ladder_of((high - low) / 6)
    texts += [
        [point(w * room)[0], at(base + 15), f"{w * room:,}", "w-mid"]
        for w in range(low, high + 1, every)
        if w
    ]
    return {
        "waves": number, "last": last, "time": time, "share": share, "said": said,
        "height": at(base + 20),
        "paths": [
            ["w-used", box(LEFT, TOP, unit * full, row * sms) if full else ""],
            ["w-idle", box(LEFT + unit * full, TOP, unit * (time - full), row * sms)
             if time > full else ""],
            ["w-hot" if lane >= 3 else "w-tail", hot], ["w-grid", grid], ["w-frame", frame],
            ["w-grid", box(LEFT, base - LOW, WIDE, LOW)], ["w-blue", curve], ["w-dot", dot(x, y)],
        ],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Waves of blocks, and their tail",
    "A band is an SM, a row in it a place for a block; time runs to the right. Blue: full waves. "
    "Orange: the blocks of the last wave, if it is not full, and a slow last block. Grey: places "
    "left idle. Below, the dot is this grid, the line every other number of blocks.",
    waves,
    {
        "blocks": Knob("Blocks of the grid", 20, range(1, 10000), 0),
        "sms": Knob("SMs", 8, range(1, 161), 1),
        "places": Knob("Places of an SM", 2, range(1, 33)),
        "slow": Knob("The last block takes, ms", 1, range(1, 10)),
    },
    ("plot", "waves"),
)

"""A ring of GPUs over time: who attends to whose keys, and who is idle meanwhile."""

import math
from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, several, short

DEALS = {"plain": "plainly", "striped": "in stripes", "zigzag": "zigzag"}
LEFT, WIDE, TOP, ROW = 66, 326, 20, 22  # px: of the timeline


def work_of(attention: str, deal: str, gpu: int, keys: int) -> int:
    """What a GPU computes with the keys of another one, in percent of a whole block."""
    if attention == "full":
        return 100
    if deal != "plain" or keys == gpu:
        return 50
    return 100 if keys < gpu else 0


def hatched(x: float, y: int, width: float, height: int) -> str:
    """Slanted lines through a box."""
    lines, first, last = "", math.ceil(x), math.floor(x + width)
    for foot in range(-(-(first - height) // 11) * 11, last, 11):
        left, right = max(foot, first), min(foot + height, last)
        if right > left:
            lines += f"M{left} {y + height - left + foot}l{right - left}-{right - left}"
    return lines


def rotation(attention: str, deal: str, gpus: int, transfer: int) -> dict[str, Any]:
    """What each GPU works in each step and how long that lasts, a sentence, a drawing."""
    work = [
        [work_of(attention, deal, gpu, (gpu - step) % gpus) for gpu in range(gpus)]
        for step in range(gpus)
    ]
    slowest = [max(row) for row in work]
    travels = [transfer] * (gpus - 1) + [0]  # nothing in the last step
    steps = [max(pair) for pair in zip(slowest, travels, strict=True)]
    time, all_work = sum(steps), sum(map(sum, work))
    share = (200 * all_work + gpus * time) // (2 * gpus * time)
    uneven = sum(min(row) < max(row) for row in work)
    late = sum(there > least for there, least in zip(travels, slowest, strict=True))
    said = (
        f"A {attention} ring of {gpus} GPUs, dealt {DEALS[deal]}: {gpus} steps take as long as "
        f"{short(time / 100)} whole blocks. A GPU works for {short(all_work / gpus / 100)} of that "
        f"on average, which is {share} % of the ideal. "
    )
    if uneven:
        said += f"In {several(uneven, 'step')} some wait for the GPU that has the most to do"
        said += f", and in {several(late, 'step')} all for the transfer." if late else "."
    elif late:
        said += f"In {several(late, 'step')} all wait for the transfer."
    else:
        said += "Nobody waits."
    if late:
        said += f" It would hide up to {min(slowest)} % of a block."

    unit, bottom = WIDE / time, TOP + ROW * gpus + 10
    used = hot = idle = hatch = marks = ""
    texts: list[list[Any]] = [[LEFT - 5, 13, "step", "w-end"], [440, 13, "idle", "w-end"]]
    begin = 0
    for step, lasts in enumerate(steps):
        x = LEFT + unit * begin
        texts.append([at(x + unit * lasts / 2), 13, str(step), "w-mid"])
        marks += f"M{at(x)} {TOP}V{bottom + ROW - 5}"
        for gpu, mine in enumerate(work[step]):
            y = TOP + ROW * gpu
            if mine:
                used += box(x, y, unit * mine, ROW - 5)
                keys = (gpu - step) % gpus
                texts.append([at(x + unit * mine / 2), y + 13, str(keys), "w-mid"])
            if mine < lasts:
                rest, width = x + unit * mine, unit * (lasts - mine)
                idle += box(rest, y, width, ROW - 5)
                hatch += hatched(rest, y, width, ROW - 5)
        if travels[step]:
            hot += box(x, bottom, unit * travels[step], ROW - 5)
        begin += lasts
    for gpu in range(gpus):
        texts.append([LEFT - 5, TOP + ROW * gpu + 13, f"GPU {gpu}", "w-end"])
        lost = time - sum(row[gpu] for row in work)
        lost = (200 * lost + time) // (2 * time)
        texts.append([440, TOP + ROW * gpu + 13, f"{lost} %", "w-end"])
    texts.append([LEFT - 5, bottom + 13, "transfer", "w-end"])
    return {
        "work": work, "steps": steps, "share": share, "said": said, "height": bottom + ROW,
        "paths": [["w-idle", idle], ["w-hatch", hatch], ["w-used", used], ["w-hot", hot],
                  ["w-marks", marks]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "A ring of GPUs: who attends to whose keys",
    "Blue: a GPU computes; the number says whose keys it has. Hatched: it is idle. Orange: the "
    "next keys are on their way, in every step but the last. A step ends for all together. A whole "
    "block is all queries of a GPU with all keys of another one.",
    rotation,
    {
        "attention": Knob("Attention", "causal", {"causal": "Causal", "full": "Full"}),
        "deal": Knob("The sequence is dealt", "plain", DEALS),
        "gpus": Knob("GPUs", 4, range(2, 9)),
        "transfer": Knob("Transfer, in % of a whole block", 20, range(201)),
    },
    ("rotation",),
    DEALS,
)

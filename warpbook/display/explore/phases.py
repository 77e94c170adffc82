"""A barrier in memory and its phases: arrivals, bytes on their way, waits for a parity."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, several

LEFT, WIDE = 46, 392  # px
SHOWN = 5  # phases


def phases(
    threads: int, arrived: int, expected: int, landed: int, phase: int, parity: int
) -> dict[str, Any]:
    """Counts, a sentence, a drawing.

    current: the phase that the barrier is in; passes: does a wait for ``parity`` go on at once?
    """
    came, there = min(arrived, threads), min(landed, expected)
    over = came == threads and there == expected
    current = phase + over
    passes = current % 2 != parity
    now = f"Phase {current} (parity {current % 2})"
    if over:
        said = (
            f"Phase {phase} is over: {several(threads, 'arrival')} came"
            + (f" and {expected} KiB landed" if expected else "")
            + f". {now} has begun and lacks all of its arrivals."
        )
    else:
        lacks = [several(threads - came, "arrival")] if came < threads else []
        lacks += [f"{expected - there} KiB"] if there < expected else []
        said = f"{now} lacks {' and '.join(lacks)}."
    said += f" A wait for parity {parity} "
    if not passes:
        said += f"stands still until phase {current} is over."
    elif current:
        said += f"goes on at once: phase {current - 1} is over."
    else:
        said += "goes on at once, as if a phase before the first were over."

    texts: list[list[Any]] = []
    used = hot = idle = frame = ""
    first, step = max(0, current - 2), WIDE / SHOWN
    for k in range(SHOWN):
        number, x = first + k, LEFT + step * k
        cell = box(x, 20, step - 6, 34)
        used += cell if number < current else ""
        hot += cell if number == current else ""
        idle += cell if number > current else ""
        texts.append([at(x + 5), 34, f"phase {number}", "w-bold" if number == current else ""])
        texts.append([at(x + 5), 49, f"parity {number % 2}", ""])
    step = WIDE / threads
    for k in range(threads):
        cell = box(LEFT + step * k, 78, step - 4, 20)
        used += cell if k < came else ""
        idle += cell if k >= came else ""
        texts.append([at(LEFT + step * k + 4), 93, "✓" if k < came else "…", ""])
    texts.append([LEFT, 72, f"arrivals: {came} of {threads}", ""])
    texts.append([LEFT, 120, f"bytes landed: {there} of {expected} KiB", ""])
    for k in range(expected):
        cell = box(LEFT + WIDE / 8 * k, 126, WIDE / 8 - 2, 14)
        used += cell if k < there else ""
        idle += cell if k >= there else ""
    for q in range(2):
        goes = current % 2 != q
        x, wide = LEFT + WIDE / 2 * q, WIDE / 2 - 6
        cell = box(x, 156, wide, 22)
        used += cell if goes else ""
        hot += "" if goes else cell
        frame += cell if q == parity else ""
        texts.append([at(x + 6), 172, f"wait({q}) {'goes on' if goes else 'stands still'}", ""])
    return {
        "current": current, "passes": passes, "said": said, "height": 182,
        "paths": [["w-idle", idle], ["w-used", used], ["w-hot", hot], ["w-frame", frame]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "A barrier in memory: its phases, arrivals and bytes",
    "Blue: what is over, has come, or goes on. Orange: the phase that the barrier is in, and the "
    "wait that stands still. Grey: what is still to come. The frame is the wait that you ask for.",
    phases,
    {
        "threads": Knob("Arrivals a phase needs", 4, range(1, 9)),
        "arrived": Knob("Arrivals so far", 3, range(9)),
        "expected": Knob("KiB announced", 4, range(9)),
        "landed": Knob("KiB landed", 2, range(9)),
        "phase": Knob("Phases that are over", 1, range(10)),
        "parity": Knob("Wait for parity", 1, range(2)),
    },
    ("phases",),
)

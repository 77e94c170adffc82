"""Copies and kernels of several streams over time: what overlaps, for every order of issue."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, ladder_of, several, short

LEFT, WIDE, TOP, ROW = 78, 362, 20, 22  # px: of the timeline
STEPS = ("in", "kernel", "out")


def issued(chunks: int, order: str) -> list[tuple[int, int]]:
    """(step, chunk) in the order of issue."""
    if order == "depth":
        return [(step, chunk) for chunk in range(chunks) for step in range(3)]
    return [(step, chunk) for step in range(3) for chunk in range(chunks)]


def timeline(
    streams: int, chunks: int, order: str, copy: int, kernel: int, engines: int, takes: str
) -> dict[str, Any]:
    """When each operation begins, a sentence, a drawing. Time counts in ms / chunks, so that all
    moments are whole numbers."""
    lasts = (copy, kernel, copy)
    engine_of = (0, 1, 2) if engines == 2 else (0, 1, 0)
    left, free = issued(chunks, order), [0, 0, 0]
    ends, begins = [0] * streams, {}
    while left:
        best, first = 0, None
        known: set[int] = set()  # streams of which an earlier operation is still to come
        for k, (step, chunk) in enumerate(left):
            if chunk % streams in known:
                continue
            known.add(chunk % streams)
            start = max(free[engine_of[step]], ends[chunk % streams])
            if first is None or start < first:
                best, first = k, start
            if takes == "issue":  # engines look at nothing behind what was issued first
                break
        step, chunk = left.pop(best)
        begins[step, chunk] = first
        free[engine_of[step]] = ends[chunk % streams] = first + lasts[step]
    time = max(ends)
    serial, bound = 2 * copy + kernel, max(copy * (3 - engines), kernel)
    words = "chunk by chunk" if order == "depth" else "step by step"
    said = (
        f"{several(streams, 'stream')}, {several(chunks, 'chunk')}, issued {words}: all is back "
        f"after {short(time / chunks)} ms. One after the other it takes {serial} ms, so this is "
        f"{short(serial * chunks / time)} times as fast. "
    )
    busiest = "The kernel" if kernel == bound else "The copy engine"
    if kernel == bound == copy * (3 - engines):
        busiest = "Each engine" if engines == 2 else "The kernel, and the copy engine too,"
    elif engines == 2 and kernel != bound:
        busiest = "Each copy engine"
    said += f"{busiest} is busy for {bound} ms, which is the bound"
    if time == serial * chunks:
        said += ": nothing overlaps." if serial > bound else "."
    else:
        said += f": {(200 * bound * chunks + time) // (2 * time)} % of it is reached."

    unit = WIDE / time
    names = ["copies in", "kernels", "copies out"] if engines == 2 else ["copies", "kernels"]
    bottom = TOP + ROW * len(names) + 8
    paths = ["", "", ""]
    texts: list[list[Any]] = []
    for (step, chunk), start in begins.items():
        x, width = LEFT + unit * start, unit * lasts[step]
        for y in (TOP + ROW * engine_of[step], bottom + ROW * (chunk % streams)):
            paths[step] += box(x, y, width, ROW - 5)
            if width >= 16:
                texts.append([at(x + width / 2), y + 13, str(chunk), "w-mid"])
    texts += [[LEFT - 5, TOP + ROW * k + 13, name, "w-end"] for k, name in enumerate(names)]
    texts += [[LEFT - 5, bottom + ROW * k + 13, f"stream {k}", "w-end"] for k in range(streams)]
    texts.append([LEFT - 5, 13, "ms", "w-end"])
    texts += [
        [at(LEFT + unit * chunks * ms), 13, str(ms), "w-mid" if ms else ""]
        for ms in range(0, time // chunks + 1, ladder_of(30 / (unit * chunks)))
    ]
    return {
        "begins": [[step, chunk, start] for (step, chunk), start in begins.items()],
        "time": time, "serial": serial, "bound": bound, "said": said,
        "height": bottom + ROW * streams,
        "paths": [["w-used", paths[0]], ["w-hot", paths[1]], ["w-moved", paths[2]],
                  ["w-frame", box(LEFT, TOP - 3, WIDE, ROW * len(names) + 1)]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Copies and kernels in streams",
    "Blue: a chunk is copied to the GPU. Orange: a kernel computes it. Grey: the result is copied "
    "back. Numbers are those of the chunks. Above, a row is an engine, which does one thing at a "
    "time; below, the same operations by stream.",
    timeline,
    {
        "streams": Knob("Streams", 2, range(1, 9)),
        "chunks": Knob("Chunks", 6, range(1, 25)),
        "order": Knob("Order of issue", "depth", {"depth": "chunk by chunk",
                                                  "breadth": "step by step"}),
        "takes": Knob("An engine takes", "ready", {"ready": "what is ready first",
                                                   "issue": "what was issued first"}),
        "copy": Knob("A copy of everything takes, ms", 3, range(1, 13)),
        "kernel": Knob("The kernel takes, ms", 3, range(1, 25)),
        "engines": Knob("Copy engines", 2, {1: "one", 2: "two"}),
    },
    ("plot", "timeline"),
)  # fmt: skip

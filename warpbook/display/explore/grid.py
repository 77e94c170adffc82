"""Which thread of a grid takes which element: one element a thread, or a loop that strides."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, box, several

ACROSS, CELL, HIGH, ROW = 16, 25, 22, 42  # boxes in a row; px of a box; from one row to the next
LEFT, TOP, MOST = 42, 96, 128  # px; boxes that are drawn at most
KERNELS = {"guard": "one element a thread", "stride": "a grid-stride loop"}
NAMES = [[10, "i"], [30, "="], [76, "blockIdx.x"], [120, "*"], [166, "blockDim.x"], [212, "+"],
         [260, "threadIdx.x"]]  # fmt: skip


def grid(kernel: str, n: int, threads: int, blocks: int, follow: int) -> dict[str, Any]:
    """Who takes an element, who none, a sentence, a drawing."""
    loops, total = kernel == "stride", threads * blocks
    turns = -(-n // total) if loops else 1
    spare, left = max(0, turns * total - n), 0 if loops else max(0, n - total)
    said = f"{several(blocks, 'block')} of {several(threads, 'thread')}: "
    said += f"{several(total, 'thread')} for {several(n, 'element')}. "
    if loops and turns > 1:
        said += f"A thread takes at most {turns} turns"
        if spare:
            said += f", and {several(spare, 'thread')} one fewer"
    elif spare:
        said += f"{several(spare, 'thread')} {'finds' if spare == 1 else 'find'} nothing to do"
    else:
        said += "Each thread takes one element"
    said += f". Nobody takes the last {several(left, 'element')}" if left else ""
    said += ". "

    turn, first = divmod(follow, total) if loops else (0, follow)
    block, thread = divmod(first, threads)
    who = f"thread {thread} of block {block}"
    if follow >= max(n, turns * total):
        said += f"There is no element {follow}, and no thread for it."
    elif follow >= n:
        ends = f"the loop of {who} ends" if loops else f"the guard sends {who} away"
        said += f"There is no element {follow}: {ends}."
    elif follow >= n - left:
        said += f"Element {follow} is for {who}, which was not launched."
    else:
        said += f"Element {follow} belongs to {who}{f', in turn {turn + 1}' if turn else ''}."

    # The index, first in names and then in numbers.
    numbers = [first, "=", block, "*", threads, "+", thread]
    texts: list[list[Any]] = [[x, 13, word, "w-mid"] for x, word in NAMES]
    texts += [
        [x, 31, str(word), "w-mid w-bold"] for (x, _), word in zip(NAMES, numbers, strict=True)
    ]
    own = range(first, n if loops and first < n - left else first + 1, total)
    if loops:
        texts.append([5, 51, f"then i += gridDim.x * blockDim.x, which is {total}:", ""])
        some = ", ".join(map(str, own[:8]))
        texts.append([5, 69, some + (", ..." if len(own) > 8 else ""), "w-bold"])
    high = TOP if loops else TOP - 38

    def cell(k, inset=0):
        x, y = LEFT + k % ACROSS * CELL + inset, high + k // ACROSS * ROW + inset
        return box(x, y, CELL - 2 * inset, HIGH - 2 * inset)

    drawn = min(MOST, max(n, turns * total))
    paths = {name: "" for name in ("w-used", "w-hot", "w-idle", "w-over")}
    last, named = -3, -1  # where the last block's name stands, and which it is
    for k in range(drawn):
        x, y = LEFT + k % ACROSS * CELL, high + k // ACROSS * ROW
        block, thread = divmod(k % total if loops else k, threads)
        if not k % ACROSS:
            texts.append([LEFT - 5, y + 16, str(k), "w-end"])
            last, named = -3, -1
        if n - left <= k < n:
            paths["w-over"] += cell(k)
            continue
        paths["w-idle" if k >= n else "w-hot" if block % 2 else "w-used"] += cell(k)
        texts.append([x + (9 if thread < 10 else 5), y + 16, str(thread), ""])
        if not thread and block != named and last + 3 <= k % ACROSS < 14:
            texts.append([x, y - 4, f"block {block}", ""])
            last, named = k % ACROSS, block
    frames = "".join(cell(k) for k in own if k < drawn)
    frames += cell(follow, 2.5) + cell(follow) if follow < drawn else ""
    bottom = high + -(-drawn // ACROSS) * ROW
    if turns * total > drawn:
        more = several(turns * total - drawn, "thread")
        texts.append([LEFT, bottom - 4, f"and {more} more, with nothing to do", ""])
    return {
        "spare": spare, "left": left, "turns": turns, "said": said, "height": bottom,
        "paths": [*map(list, paths.items()), ["w-frame", frames]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Which thread takes which element",
    "A box is an element; the number at the left is the index of the first one of a row. The "
    "number in a box is threadIdx.x of the thread that takes it. Blue and orange change from block "
    "to block. Grey: a thread that finds nothing to do. Dashed: an element that nobody takes. "
    "Thick frames: the thread that you follow; the double one is the index.",
    grid,
    {
        "kernel": Knob("Kernel", "guard", KERNELS),
        "n": Knob("Elements, n", 50, range(1, 121)),
        "threads": Knob("Threads of a block", 16, range(1, 33)),
        "blocks": Knob("Blocks", 4, range(1, 17)),
        "follow": Knob("Follow index", 37, range(MOST)),
    },
    ("grid",),
    NAMES,
)

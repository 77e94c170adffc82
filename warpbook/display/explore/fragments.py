"""Which lane of a warp holds which elements in a product of tensor cores: mma.sync and ldmatrix."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, box, several

# (k, elements in a register of a and b)
PRODUCTS = {"m16n8k16": (16, 2), "m16n8k8": (8, 1), "m16n8k32": (32, 4)}
NAMES = {
    "m16n8k16": "m16n8k16, bf16 or f16",
    "m16n8k8": "m16n8k8, tf32",
    "m16n8k32": "m16n8k32, int8",
}
MATRICES = {
    "a": "A",
    "b": "B",
    "c": "C, the sums",
    "ldmatrix": "what ldmatrix reads",
    "trans": "what ldmatrix.trans reads",
}


def held(product: str, matrix: str, lane: int) -> list[list[list[int]]]:
    """The elements, [row, column], in each register of a lane."""
    k, per = PRODUCTS[product]
    group, member = lane // 4, lane % 4
    if matrix == "c":
        return [[[group + 8 * (r // 2), 2 * member + r % 2]] for r in range(4)]
    if matrix == "a":
        return [
            [[group + 8 * (r % 2), per * (member + 4 * (r // 2)) + e] for e in range(per)]
            for r in range(4)
        ]
    if matrix == "b":
        return [[[per * (member + 4 * r) + e, group] for e in range(per)] for r in range(2)]
    pair = [[group, 2 * member + e] for e in range(2)]
    return [[element[::-1] for element in pair] if matrix == "trans" else pair]


def numbers(name: str, values: list[int]) -> str:
    """Write 'row 3', 'columns 2 and 3' or 'rows 4 to 7'."""
    low, high = values[0], values[-1]
    if low == high:
        return f"{name} {low}"
    return f"{name}s {low} {'and' if high == low + 1 else 'to'} {high}"


def place(elements: list[list[int]], down: bool) -> str:
    """Write where the elements of a register are; down: those of a column."""
    rows, cols = ([e[axis] for e in elements] for axis in range(2))
    words = [numbers("row", sorted(set(rows))), numbers("column", sorted(set(cols)))]
    return ", ".join(words[::-1] if down else words)


def fragments(product: str, matrix: str, lane: int) -> dict[str, Any]:
    """The registers of the lane, a sentence, a drawing."""
    k, per = PRODUCTS[product]
    loads = matrix in ("ldmatrix", "trans")
    per = 2 if loads else 1 if matrix == "c" else per
    rows = 8 if loads else k if matrix == "b" else 16
    cols = 8 if loads or matrix != "a" else k
    down = matrix in ("b", "trans")
    mine = held(product, matrix, lane)
    if loads:
        said = (
            f"ldmatrix{'.trans' if down else ''}: of each 8 × 8 matrix of 16-bit elements, lane "
            f"{lane} receives {place(mine[0], down)}, in one register. With .x4, it gives the "
            f"address of row {lane % 8} of matrix {lane // 8}."
        )
    else:
        where = "; ".join(f"r{r} {place(e, down)}" for r, e in enumerate(mine))
        said = (
            f"{NAMES[product]}: lane {lane} holds {several(len(mine), 'register')} of "
            f"{matrix.upper()}, {several(per, 'element')} in each: {where}."
        )

    # A box is a register of a lane. All are as wide as a register of A.
    across, high = (1, per) if down else (per, 1)
    wide = 384 // (cols // across)
    tall = 32 if down and not loads else 22
    left, top = 46, 20
    deep = rows // high * tall
    lines = "".join(f"M{left} {y}h384" for y in range(top + tall, top + deep, tall))
    lines += "".join(f"M{x} {top}v{deep}" for x in range(left + wide, left + 384, wide))
    hot = ""
    texts: list[list[Any]] = [
        [left + c * wide, 13, str(c * across), ""] for c in range(cols // across)
    ]
    texts += [[41, top + r * tall + 15, str(r * high), "w-end"] for r in range(rows // high)]
    texts.append([41, 13, "col", "w-end"])
    for number in range(32):
        for r, elements in enumerate(held(product, matrix, number)):
            x = left + elements[0][1] // across * wide
            y = top + elements[0][0] // high * tall
            if number == lane:
                hot += box(x, y, wide, tall)
                texts.append([x + 4, y + 15, f"{number}: r{r}", "w-bold"])
            else:
                texts.append([x + 4, y + 15, str(number), ""])
    # Frames around the registers r0, r1 ...; those of c lie side by side.
    frames = box(left, top, 384, deep)
    if not loads:
        frames += f"M{left} {top + deep // 2}h384"
    if matrix == "a":
        frames += f"M{left + 192} {top}v{deep}"
    return {
        "registers": mine, "said": said, "height": top + deep + 2,
        "paths": [["w-lines", lines], ["w-hot", hot], ["w-frame", frames]], "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Which lane holds which elements of a fragment",
    "A box is one register of one lane, with the lane's number; all 32 lanes hold the matrix "
    "together. Orange: the lane that you follow, and which of its registers this is. Beside the "
    "boxes stand the rows and the columns at which they begin.",
    fragments,
    {
        "product": Knob("mma.sync", "m16n8k16", NAMES),
        "matrix": Knob("Matrix", "a", MATRICES),
        "lane": Knob("Follow lane", 5, range(32)),
    },
    ("fragments",),
)

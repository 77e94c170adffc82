"""The least time of a kernel: what memory takes, what arithmetic takes, and the larger of them."""

from math import log10
from typing import Any

from warpbook.display.explore.gpus import MEASURED
from warpbook.display.explore.kit import Knob, Recipe, amount, at, box, dot, ladder_of, line, short
from warpbook.profiles import DATA_SHEET

LEFT, WIDE, TOP, HIGH = 52, 364, 22, 200
RATES = {key: (*rates, "measured") for key, rates in MEASURED.items()}
RATES |= {key: (*rates, "data sheet") for key, rates in DATA_SHEET.items()}


def seconds(value: float) -> str:
    """Write a time: '45.3 µs'."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 0.9995:
            return f"{short(value * factor)} {unit}"
    return f"{short(value * 1e9)} ns"


def roofline(flops: int, bytes: int, gpu: str) -> dict[str, Any]:
    """Times, a sentence, a drawing."""
    copy, fma, source = RATES[gpu]  # GB/s, GFLOP/s
    ridge, intensity = fma / copy, flops / bytes
    memory, arithmetic = bytes / (copy * 1e9), flops / (fma * 1e9)
    least = max(memory, arithmetic)
    rate = flops / least / 1e9  # GFLOP/s
    limit = "arithmetic" if arithmetic >= memory else "memory"
    said = (
        f"{amount(flops, 'FLOP')} and {amount(bytes, 'B')}: {short(intensity)} flops a byte. The "
        f"ridge of this {gpu} ({source}: {copy:,} GB/s, {short(fma / 1000)} TFLOP/s) is at "
        f"{short(ridge)}, so {limit} limits. T = max({seconds(arithmetic)} of arithmetic, "
        f"{seconds(memory)} of memory) = {seconds(least)} at least, {amount(rate * 1e9, 'FLOP/s')} "
        "at most."
    )

    # Both axes are logarithmic; a decade begins at a whole power of ten.
    low, high = -2, 4
    while flops * 10.0**-low < bytes:
        low -= 1
    while bytes * 10.0**high < flops:
        high += 1
    top = 1
    while 10.0**top < fma * 1.1:
        top += 1
    foot = 0
    while 10.0**foot > copy * intensity or 10.0 ** (foot - low) > copy:
        foot -= 1
    bottom = TOP + HIGH

    def x(value):
        return LEFT + WIDE * (log10(value) - low) / (high - low)

    def y(value):
        return TOP + HIGH * (top - log10(value)) / (top - foot)

    def corner(value, height):
        return f"{at(x(value))} {at(y(height))}"

    start, end = 10.0**low, 10.0**high
    knee, here = corner(ridge, fma), (x(intensity), y(rate))
    slope = f"M{corner(start, copy * start)}L{knee}"
    roof = f"M{knee}L{corner(end, fma)}"
    shut = f"V{bottom}H{at(x(ridge))}V{at(y(fma))}z"
    texts: list[list[Any]] = [[47, 13, "FLOP/s", "w-end"]]
    every = ladder_of((high - low) / 7)
    for power in range(low, high + 1, every):
        words = short(10.0**power) if -3 <= power <= 5 else f"1e{power}"
        texts.append([at(LEFT + WIDE * (power - low) / (high - low)), bottom + 18, words, "w-mid"])
    every = ladder_of((top - foot) / 7)
    for power in range(foot, top + 1, every):
        words = amount(10.0 ** (power + 9), "").strip()
        texts.append([47, at(y(10.0**power) + 4.5), words, "w-end"])
    texts.append([LEFT + WIDE // 2, bottom + 34, "flops a byte", "w-mid"])
    texts.append([LEFT + WIDE - 6, at(y(fma) - 7), f"{short(fma / 1000)} TFLOP/s", "w-end"])
    middle = (start * ridge) ** 0.5
    texts.append([at(x(middle) - 9), at(y(copy * middle) - 4), f"{copy:,} GB/s", "w-end"])
    right = here[0] > LEFT + WIDE * 0.6
    side, bold = at(here[0] + (-9 if right else 9)), "w-end w-bold" if right else "w-bold"
    if limit == "memory":
        texts.append([side, at(min(here[1] + 19, bottom - 25)), amount(rate * 1e9, "FLOP/s"), bold])
    texts.append([side, bottom - 7, short(intensity), bold])
    bars = {"blue": "", "orange": ""}
    for k, (name, colour, time) in enumerate(
        (("Arithmetic", "orange", arithmetic), ("Memory", "blue", memory))
    ):
        height = bottom + 46 + 24 * k
        wide = 250 * time / least
        bars[colour] = box(86, height, max(wide, 0.5), 16)
        texts.append([80, height + 13, name, "w-end"])
        texts.append([at(92 + wide), height + 13, seconds(time), "w-bold" * (time == least)])
    return {
        "intensity": intensity, "ridge": ridge, "limit": limit,
        "memory": memory, "arithmetic": arithmetic, "least": least,
        "said": said, "height": bottom + 92,
        "paths": [
            ["w-used", f"{slope}V{bottom}H{LEFT}z"], ["w-hot", f"{roof}{shut}"],
            ["w-grid", f"M{LEFT} {TOP}V{bottom}h{WIDE}"],
            ["w-next", line(*here, here[0], bottom) + line(LEFT, here[1], *here)],
            ["w-blue", slope], ["w-orange", roof], ["w-dot", dot(*here)],
            ["w-used", bars["blue"]], ["w-hot", bars["orange"]],
        ],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Roofline: the least time of a kernel",
    "The dot is the kernel. Under the blue roof memory limits what it can reach, under the orange "
    "one arithmetic; where they meet is the ridge. The bars are the two times: the longer one is "
    "the least that the kernel takes.",
    roofline,
    {
        "flops": Knob("Float32 flops", 2 * 4096**3, range(1000, 10**15 + 1), 0),
        "bytes": Knob("Bytes moved", 3 * 4 * 4096**2, range(1000, 10**13 + 1), 0),
        "gpu": Knob("GPU", "H200", {key: f"{key} ({word})" for key, (*_, word) in RATES.items()}),
    },
    ("plot", "roofline"),
    RATES,
)

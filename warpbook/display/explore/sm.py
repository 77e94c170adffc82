"""How blocks fill an SM: occupancy(), drawn, and what to change."""

from typing import Any

from warpbook.display.explore.gpus import CAPABILITY, sm_of
from warpbook.display.explore.kit import Knob, Recipe, at, box, several, short
from warpbook.gpu.occupancy import Occupancy, occupancy
from warpbook.profiles import KB, REGISTER_UNIT, REGISTERS

LEFT, WIDE, ROOM = 2, 340, 100  # px of a bar, and for what sticks out behind it
PITCH, CURVE = 44, 70
LEVELS = (8, 16, 32, 64, 96, 100, 132, 164, 196, 228)  # KB, of any SM
SLOTS = {"threads": "warp slots", "blocks": "block slots"}  # what an SM has of them


def sm(gpu: str, threads: int, registers: int, shared: int, carveout: int) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    has, capability = sm_of(gpu), CAPABILITY[gpu][1]
    level = next((kb for kb in has.levels if kb and kb >= carveout > 0), has.levels[-1])

    def held(threads=threads, registers=registers, shared=shared):
        return occupancy(threads, registers, shared, capability, level)

    now, warps = held(), -(-threads // 32)
    curve = {size: held(threads=size).share for size in range(32, 1025, 32)}
    limit = " and ".join(SLOTS.get(name, name) for name in now.binding)
    found = (
        f"{several(now.blocks, 'block')} of {several(threads, 'thread')} on an SM: {now.warps} "
        f"of {has.threads // 32} warps, an occupancy of {short(100 * now.share)} %, limited by "
        f"{limit}."
        if now.blocks
        else f"Not one block of {several(threads, 'thread')} fits on an SM: too much of {limit}. "
        "The launch would be refused."
    )
    advice = list(_less(now, held, has, level, registers, shared))
    if now.share == 1:
        advice = ["It is full."]
    elif not advice:
        advice = [_other_size(now, curve, threads)]
    paths, texts = _bars(now, has, level, warps, registers, shared)

    base = 20 + 4 * PITCH + 14 + CURVE
    texts += [[LEFT, base - CURVE - 8, "Occupancy over the threads of a block", ""],
              [41, base - CURVE + 10, "100 %", "w-end"], [41, base, "0 %", "w-end"]]  # fmt: skip
    texts += [[51 + 12 * (size // 32 - 1), base + 15, str(size), "w-mid"]
              for size in (32, 256, 512, 768, 1024)]  # fmt: skip
    columns = [
        box(46 + 12 * i, base - CURVE * share, 10, CURVE * share) if share else ""
        for i, share in enumerate(curve.values())
    ]
    here = columns.pop(warps - 1)
    return {
        "blocks": now.blocks, "binding": now.binding, "curve": list(curve.values()),
        "said": " ".join([f"{CAPABILITY[gpu][0]}: {found}", *advice]), "height": base + 20,
        "paths": [*paths, ["w-used", "".join(columns)], ["w-hot", here],
                  ["w-grid", f"M46 {base}h382M46 {base - CURVE}h382"]],
        "texts": texts,
    }  # fmt: skip


def _bars(now, has, level, warps, registers, shared):
    """Four bars: what an SM has, what the blocks take of it, and one block more."""
    per_warp = -(-32 * registers // REGISTER_UNIT) * REGISTER_UNIT
    whole = REGISTERS // has.partitions // per_warp * has.partitions * per_warp
    # The hardware checks a launch as though the warps of its block were a multiple of four.
    refused = warps if now.limits["registers"] else -(-warps // 4) * 4
    taken = -(-(shared + has.reserved) // has.unit) * has.unit
    bank = next((kb for kb in has.levels if kb >= level and kb * KB >= taken), has.levels[-1]) * KB
    # Its name, what it is called, a block's, the next block's, what blocks can use, all there is.
    bars = [
        ("threads", "Warp slots", warps, warps, has.threads // 32, has.threads // 32),
        ("blocks", "Block slots", 1, 1, has.blocks, has.blocks),
        ("registers", "Registers", per_warp * warps, per_warp * refused, whole, REGISTERS),
        ("shared memory", "Shared memory", taken, taken, bank, bank),
    ]
    used = idle = frame = after = over = cuts = ""
    texts: list[list[Any]] = []
    for k, (name, label, each, more, usable, most) in enumerate(bars):
        top, scale, binding = 20 + PITCH * k, WIDE / most, name in now.binding
        words = f"{label}: {now.blocks * each:,} of {most:,}"
        words += (" bytes" if name == "shared memory" else "") + (": the limit" if binding else "")
        texts.append([LEFT, top - 6, words, "w-bold" if binding else ""])
        frame += box(LEFT, top, WIDE, 18)
        if usable < most:
            idle += box(LEFT + usable * scale, top, (most - usable) * scale, 18)
        if not each:
            continue
        end = now.blocks * each * scale
        if end:
            used += box(LEFT, top, end, 18)
        cuts += "".join(f"M{at(LEFT + i * each * scale)} {top}v18" for i in range(1, now.blocks))
        one = box(LEFT + end, top + 2, min(more * scale, WIDE + ROOM - end), 14)
        over, after = (over + one, after) if binding else (over, after + one)
    paths = [["w-idle", idle], ["w-next", after], ["w-used", used], ["w-cuts", cuts],
             ["w-frame", frame], ["w-over", over]]  # fmt: skip
    return paths, texts


def _less(now, held, has, level, registers, shared):
    """The least that a thread has to give up of its registers, or a block of its shared memory."""
    for fewer in range((registers - 1) // 8 * 8, 0, -8):
        other = held(registers=fewer)
        if other.blocks > now.blocks:
            yield f"With {several(fewer, 'register')} a thread, {_fit(other)}."
            break
    levels = [kb * KB for kb in has.levels if kb >= level]
    most = {size // (now.blocks + 1) // has.unit * has.unit - has.reserved for size in levels}
    for fewer in sorted({min(size, has.block_kb * KB) for size in most if size >= 0}, reverse=True):
        if fewer < shared and (other := held(shared=fewer)).blocks > now.blocks:
            yield f"With {fewer:,} bytes of shared memory a block, {_fit(other)}."
            break


def _other_size(now, curve, threads):
    """The nearest of the sizes that fill an SM best, where that is better than now."""
    best = max(curve.values())
    if best <= now.share:
        return "No one change brings more."
    size = min((size for size in curve if curve[size] == best), key=lambda s: abs(s - threads))
    return f"Blocks of {size} threads would reach {short(100 * best)} %."


def _fit(other: Occupancy) -> str:
    return f"{several(other.blocks, 'block')} fit" + "s" * (other.blocks == 1)


FIGURE = Recipe(
    "Blocks that fill an SM",
    "A bar is what one SM has of a resource. Blue: the blocks on it. Dashed: one block more, which "
    "sticks out where there is no room for it. Grey: registers that no whole warp can take. Below, "
    "the occupancy of other block sizes, all else equal; orange is this one.",
    sm,
    {
        "gpu": Knob("GPU", "H200", {key: name for key, (name, _) in CAPABILITY.items()}),
        "threads": Knob("Threads of a block", 256, range(1, 1025), 32),
        "registers": Knob("Registers of a thread", 41, range(1, 256), 1),
        "shared": Knob("Shared bytes of a block", 8192, range(228 * KB + 1), KB),
        "carveout": Knob(
            "Shared memory of an SM", 0, {0: "the most", **{kb: f"{kb} KB" for kb in LEVELS}}
        ),
    },
    ("sm",),
    {
        key: [s.threads, s.blocks, s.levels, s.block_kb, s.unit, s.reserved, s.partitions]
        for key in CAPABILITY
        for s in [sm_of(key)]
    },
)

"""How many blocks fit on one SM (occupancy), and what the compiler asks for (resources).

A test compiles cuda_occupancy.h, the calculator that comes with the CUDA toolkit, and compares the
two. display/explore/sm.js is the same calculation for browsers.
"""

import math
import struct
from dataclasses import dataclass
from typing import Any

from warpbook.launch.backend import cp
from warpbook.launch.kernel import Kernel, runs_here
from warpbook.profiles import KB, REGISTER_UNIT, REGISTERS, SM_LIMITS
from warpemu import nvrtc


@dataclass(frozen=True)
class Occupancy:
    """Blocks on one SM, their warps, and the share of the warps that the SM could hold.

    limits: how many blocks each resource alone would allow; the smallest decides.
    """

    blocks: int
    warps: int
    share: float
    limits: dict

    @property
    def binding(self) -> list[str]:
        """The names of the resources that decide."""
        return [name for name, blocks in self.limits.items() if blocks == self.blocks]

    def __str__(self):
        return (
            f"{self.blocks} blocks, {self.warps} warps: {self.share:.1%}, "
            f"limited by {' and '.join(self.binding)}"
        )


def occupancy(
    threads: int,
    registers: int,
    shared_bytes: int = 0,
    capability: tuple[int, int] = (9, 0),
    carveout: int | None = None,
) -> Occupancy:
    """Return the Occupancy of a kernel on one SM.

    threads: of a block. registers: of a thread. shared_bytes: of a block, static and dynamic.
    capability: such as (9, 0). carveout: KB of the SM's shared memory, one of its levels; None
    means the largest. A level that cannot hold one block gives way to the next that can.
    No block fits where one alone asks for too much. Raises LookupError for a capability that is not
    in SM_LIMITS, ValueError for a number that no kernel can have.
    """
    if capability not in SM_LIMITS:
        known = ", ".join(f"{major}.{minor}" for major, minor in SM_LIMITS)
        raise LookupError(f"no limits are known for compute capability {capability}; for: {known}.")
    sm = SM_LIMITS[capability]
    for name, value, low, high in (("threads", threads, 1, 1024), ("registers", registers, 1, 255)):
        if not low <= value <= high:
            raise ValueError(f"{name} is {value}; a kernel has from {low} to {high}.")
    if carveout is not None and carveout not in sm.levels:
        raise ValueError(f"carveout is {carveout} KB; this SM has the levels {sm.levels}.")
    warps = -(-threads // 32)
    limits = {
        "threads": sm.threads // 32 // warps,
        "blocks": sm.blocks,
        "registers": _by_registers(sm, warps, registers),
        "shared memory": _by_shared(sm, shared_bytes, carveout),
    }
    limits = {name: blocks for name, blocks in limits.items() if blocks is not None}
    blocks = min(limits.values())
    return Occupancy(blocks, blocks * warps, 32 * blocks * warps / sm.threads, limits)


def _by_registers(sm, warps, registers):
    """Blocks that the registers allow: whole warps, in each partition for itself."""
    per_warp = _up(32 * registers, REGISTER_UNIT)

    def fit(partitions):
        if per_warp * _up(warps, partitions) > REGISTERS:  # as the hardware checks a launch
            return 0
        return REGISTERS // partitions // per_warp * partitions // warps

    # 6.0 has two partitions; what would not fit into the four of 6.1 it refuses all the same
    return fit(sm.partitions) if fit(4) else 0


def _by_shared(sm, shared_bytes, carveout):
    """Blocks that the shared memory allows; None where a block takes none."""
    taken = _up(shared_bytes + sm.reserved, sm.unit)
    if not taken:
        return None
    if shared_bytes > sm.block_kb * KB:
        return 0
    level = sm.levels[-1] if carveout is None else carveout
    fits = [kb for kb in sm.levels if kb >= level and kb * KB >= taken]
    return fits[0] * KB // taken


def _up(value, unit):
    return -(-value // unit) * unit


def resources(kernel: Kernel | Any) -> dict[str, Any]:
    """Return what the compiler asks for one Kernel, under the names of ``kernel.attributes``.

    num_regs of a thread; local_size_bytes of a thread (spills and arrays that did not fit);
    shared_size_bytes of a block, the static part. They are read from the machine code that NVRTC
    makes for this device, or for an H100 where there is no GPU. Of a Triton kernel likewise; NaN
    where Triton is missing.
    """
    code, _ = binary(kernel)
    if not code:
        return dict.fromkeys(("num_regs", "local_size_bytes", "shared_size_bytes"), math.nan)
    sections = _sections(code)
    info = _attributes(sections[".nv.info"])
    shared = len(sections.get(f".nv.shared.{kernel.name}", b""))
    if shared and ".nv.shared.reserved.0" in sections:  # 9.0 and later: the reserved too
        shared -= KB
    return {"num_regs": info[0x2F], "local_size_bytes": info[0x11], "shared_size_bytes": shared}


def ptxas(kernel: Kernel) -> str:
    """Return what the compiler reports of a Kernel when asked with -Xptxas -v.

    Registers and the stack frame, a thread's local memory, of a thread; and for all instructions
    that spill, each once, the bytes that they move. For the same device as ``resources``.
    """
    _, arch = binary(kernel)
    log = nvrtc.verbose(kernel.source.unit, kernel.source.path.name, kernel.options, arch)
    return "\n".join(line for line in log.splitlines() if "Compile time" not in line)


def binary(kernel: Kernel | Any, options: tuple[str, ...] = ()) -> tuple[bytes, str]:
    """Return the cubin that NVRTC makes for this device, or for an H100, and its architecture.

    options: of the compiler, beside the kernel's own. A Triton kernel brings its own machine code.
    """
    if not isinstance(kernel, Kernel):
        return kernel.cubin, kernel.machine
    needed = kernel.source.header.architecture
    bound = needed[-1:].isalpha() or not runs_here(needed)  # to what the header names
    arch = needed if bound else f"sm_{cp.cuda.Device().compute_capability}"
    options = (*kernel.options, *options)
    return nvrtc.cubin(kernel.source.unit, kernel.source.path.name, options, arch), arch


def _sections(elf):
    """Split an ELF file into its sections: their bytes by name (zeros where it holds none)."""
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    count, names = struct.unpack_from("<HH", elf, 0x3C)
    # name, type, flags, address, offset, size of each
    heads = [struct.unpack_from("<IIQQQQ", elf, start + 64 * i) for i in range(count)]

    def name(head):
        begin = heads[names][4] + head[0]
        return elf[begin : elf.index(b"\0", begin)].decode()

    empty = 8  # the section's type where the file does not store its bytes
    return {name(h): bytes(h[5]) if h[1] == empty else elf[h[4] : h[4] + h[5]] for h in heads}


def _attributes(info):
    """Read .nv.info, a list of (format, key, size, symbol, value): the values by key."""
    values, at = {}, 0
    while at < len(info):
        form, key, size = struct.unpack_from("<BBH", info, at)
        sized = form == 4  # else the value stands in place of the size
        if sized and size == 8:
            (values[key],) = struct.unpack_from("<I", info, at + 8)
        at += 4 + size * sized
    return values

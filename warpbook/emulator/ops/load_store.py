"""ld, st, ldu, prefetch: what the instruction says; memory.py does the access."""

import numpy as np

from .. import memory
from ..ptx import BYTES, Address, Name, Vector
from . import DTYPES, Op, effect, op, refuse

HINTS = (
    "volatile relaxed acquire release weak mmio cta cluster gpu sys nc ca cg cs lu cv wb wt "
    "L1_evict_first L1_evict_last L1_evict_normal L1_evict_unchanged L1_no_allocate "
    "L2_evict_first L2_evict_last L2_evict_normal L2_64B L2_128B L2_256B L2_cache_hint"
)
SPACES = "global shared local const param shared_cta"
TYPES = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"


def describe(instruction, address, values):
    """Put the facts of an access on the instruction, for memory.py, counters.py and
    sanitizer.py.
    """
    instruction.space = next(
        (p for p in instruction.parts if p in SPACES.split()), "generic"
    ).split("_")[0]
    instruction.count = int(next((p[1:] for p in instruction.parts if p in ("v2", "v4", "v8")), 1))
    instruction.dtype = DTYPES[instruction.type]
    instruction.bytes = instruction.count * BYTES[instruction.type]
    if instruction.bytes not in memory.WIDE:
        raise refuse(instruction, f"{instruction.bytes} bytes at once")
    instruction.wide, instruction.shift = (
        memory.WIDE[instruction.bytes],
        instruction.bytes.bit_length() - 1,
    )
    instruction.offset = address.offset if isinstance(address, Address) else 0
    instruction.strong = any(
        p in instruction.parts for p in ("volatile", "relaxed", "acquire", "release", "mmio")
    )
    instruction.counted = (
        instruction.bytes
    )  # bytes a lane after merging; flow decides; 0: merged away
    return values.items if isinstance(values, Vector) else (values,)


LOADS = {
    "global": memory.global_load,
    "const": memory.generic_load,
    "shared": memory.shared_load,
    "local": memory.local_load,
    "generic": memory.generic_load,
    "param": memory.generic_load,
}
STORES = {
    "global": memory.global_store,
    "shared": memory.shared_store,
    "local": memory.local_store,
    "generic": memory.generic_store,
}


@op("ld", modifiers=f"{SPACES} {HINTS} v2 v4", types=TYPES)
def ld(instruction):
    target, address = instruction.operands[:2]
    values = describe(instruction, address, target)
    if instruction.space == "param" and isinstance(address.base, Name):
        return parameter(instruction, address, values)
    return effect(
        LOADS[instruction.space], [(v, instruction.type) for v in values], [(address, "s64")]
    )


def parameter(instruction, address, values):
    """ld.param by name: the same for all lanes and known at launch."""
    name = address.base.name

    def fn(state, group, mask, instruction):
        raw = state.parameters[name][instruction.offset : instruction.offset + instruction.bytes]
        return memory.split(
            np.frombuffer(raw, instruction.wide)[0], instruction.dtype, instruction.count
        )

    return effect(fn, [(v, instruction.type) for v in values])


@op("ldu", modifiers="global v2 v4", types=TYPES)
def ldu(instruction):
    return ld(instruction)


@op("st", modifiers=f"{SPACES} {HINTS} v2 v4", types=TYPES)
def st(instruction):
    address, value = instruction.operands[:2]
    values = describe(instruction, address, value)
    if instruction.space not in STORES:
        raise refuse(instruction, f"a store to .{instruction.space}")
    return effect(
        STORES[instruction.space], [], [(address, "s64")] + [(v, instruction.type) for v in values]
    )


@op("prefetch", modifiers="global local L1 L2 L2_evict_last L2_evict_normal")
def prefetch(instruction):
    return Op(lambda: None, [], [])


@op("prefetchu", modifiers="L1")
def prefetchu(instruction):
    return Op(lambda: None, [], [])


@op("discard", modifiers="global L2")
def discard(instruction):
    return Op(lambda: None, [], [])


@op(
    "createpolicy",
    modifiers="fractional range L2_evict_last L2_evict_normal L2_evict_first L2_evict_unchanged",
    types="b64",
)
def createpolicy(instruction):
    """Cache policies change no result."""
    return Op(lambda *a: np.int64(0), [(instruction.operands[0], "b64")], [])


@op("applypriority", modifiers="global L2_evict_normal")
def applypriority(instruction):
    return Op(lambda: None, [], [])

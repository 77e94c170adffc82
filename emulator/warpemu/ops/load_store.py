"""ld, st, ldu, prefetch: what the instruction says; memory.py does the access."""

import numpy as np

from .. import memory
from ..access import WIDE, Access
from ..perturbed import acquired
from ..ptx import BYTES, Address, Name, Vector
from . import DTYPES, Op, effect, op, refuse
from .st_async import st_async

HINTS = (
    "volatile relaxed acquire release weak mmio cta cluster gpu sys nc ca cg cs lu cv wb wt "
    "L1_evict_first L1_evict_last L1_evict_normal L1_evict_unchanged L1_no_allocate "
    "L2_evict_first L2_evict_last L2_evict_normal L2_64B L2_128B L2_256B L2_cache_hint"
)
STRONG = ("volatile", "relaxed", "acquire", "release", "mmio")
SPACES = "global shared local const param shared_cta shared_cluster"
TYPES = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"


def touches(instruction, address, values, verb="reads"):
    """(the Access of a load, a store or an atomic, its operands for the elements of a lane)."""
    words, size = instruction.parts, BYTES[instruction.type]
    count = int(next((word[1:] for word in words if word in ("v2", "v4", "v8")), 1))
    if count * size not in WIDE:
        raise refuse(instruction, f"{count * size} bytes at once")
    access = Access(
        space=next((word for word in words if word in SPACES.split()), "generic").split("_")[0],
        dtype=DTYPES[instruction.type],
        bytes=count * size,
        count=count,
        offset=address.offset if isinstance(address, Address) else 0,
        strong=any(word in STRONG for word in words),
        verb=verb,
        counted=count * size,
    )
    return access, values.items if isinstance(values, Vector) else (values,)


LOADS = {
    "global": memory.global_load,
    "const": memory.generic_load,
    "shared": memory.shared_load,
    "local": memory.local_load,
    "generic": memory.generic_load,
    "param": memory.parameter_load,
}
STORES = {
    "global": memory.global_store,
    "shared": memory.shared_store,
    "local": memory.local_store,
    "generic": memory.generic_store,
}


@op("ld", modifiers=f"{SPACES} {HINTS} v2 v4", types=TYPES)
def ld(instruction):
    """addresses (int64) -> the type, a value an element; lanes' own shape on both sides."""
    target, address = instruction.operands[:2]
    instruction.access, values = touches(instruction, address, target)
    space = instruction.access.space
    if space == "param" and isinstance(address.base, Name):
        return parameter(instruction, address.base.name, values)
    load = acquiring(LOADS[space]) if "acquire" in instruction.parts else LOADS[space]
    return effect(load, [(v, instruction.type) for v in values], [(address, "s64")])


def acquiring(load):
    """A load whose values the launch may falsify."""

    def fn(state, group, mask, instruction, *values):
        return acquired(state, instruction, load(state, group, mask, instruction, *values))

    return fn


def parameter(instruction, name, values):
    """ld.param by name: nothing -> scalars, the same for all lanes and known at launch."""

    def fn(state, group, mask, instruction):
        access = instruction.access
        raw = state.parameters[name][access.offset : access.offset + access.bytes]
        return memory.split(np.frombuffer(raw, access.wide)[0], access.dtype, access.count)

    return effect(fn, [(v, instruction.type) for v in values])


@op("ldu", modifiers="global v2 v4", types=TYPES)
def ldu(instruction):
    """ld of what no thread writes."""
    return ld(instruction)


@op("st", modifiers=f"{SPACES} {HINTS} v2 v4 async mbarrier_complete_tx_bytes", types=TYPES)
def st(instruction):
    """addresses (int64), a value of the type an element -> nothing; any lane shapes."""
    if "async" in instruction.parts:
        return st_async(instruction)
    address, value = instruction.operands[:2]
    instruction.access, values = touches(instruction, address, value, "writes")
    space = instruction.access.space
    if space not in STORES:
        raise refuse(instruction, f"a store to .{space}")
    return effect(STORES[space], [], [(address, "s64")] + [(v, instruction.type) for v in values])


@op("prefetch", modifiers="global local param const tensormap L1 L2 L2_evict_last L2_evict_normal")
def prefetch(instruction):
    """Nothing -> nothing: a hint to the caches."""
    return Op(lambda: None, [], [])


@op("prefetchu", modifiers="L1")
def prefetchu(instruction):
    """Nothing -> nothing: a hint to the caches."""
    return Op(lambda: None, [], [])


@op("discard", modifiers="global L2")
def discard(instruction):
    """Nothing -> nothing: a hint to the caches."""
    return Op(lambda: None, [], [])


@op(
    "createpolicy",
    modifiers="fractional range L2_evict_last L2_evict_normal L2_evict_first L2_evict_unchanged",
    types="b64",
)
def createpolicy(instruction):
    """Anything -> int64 0: cache policies change no result."""
    return Op(lambda *a: np.int64(0), [(instruction.operands[0], "b64")], [])


@op("applypriority", modifiers="global L2_evict_normal")
def applypriority(instruction):
    """Nothing -> nothing: a hint to the caches."""
    return Op(lambda: None, [], [])

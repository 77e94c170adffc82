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


def describe(i, address, values):
    """Put the facts of an access on the instruction, for memory.py, counters.py and
    sanitizer.py.
    """
    i.space = next((p for p in i.parts if p in SPACES.split()), "generic").split("_")[0]
    i.count = int(next((p[1:] for p in i.parts if p in ("v2", "v4", "v8")), 1))
    i.dtype = DTYPES[i.type]
    i.bytes = i.count * BYTES[i.type]
    if i.bytes not in memory.WIDE:
        raise refuse(i, f"{i.bytes} bytes at once")
    i.wide, i.shift = memory.WIDE[i.bytes], i.bytes.bit_length() - 1
    i.offset = address.offset if isinstance(address, Address) else 0
    i.strong = any(p in i.parts for p in ("volatile", "relaxed", "acquire", "release", "mmio"))
    i.counted = i.bytes  # bytes a lane after merging; flow decides; 0: merged away
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
def ld(i):
    target, address = i.operands[:2]
    values = describe(i, address, target)
    if i.space == "param" and isinstance(address.base, Name):
        return parameter(i, address, values)
    return effect(LOADS[i.space], [(v, i.type) for v in values], [(address, "s64")])


def parameter(i, address, values):
    """ld.param by name: the same for all lanes and known at launch."""
    name = address.base.name

    def fn(S, G, mask, i):
        raw = S.parameters[name][i.offset : i.offset + i.bytes]
        return memory.split(np.frombuffer(raw, i.wide)[0], i.dtype, i.count)

    return effect(fn, [(v, i.type) for v in values])


@op("ldu", modifiers="global v2 v4", types=TYPES)
def ldu(i):
    return ld(i)


@op("st", modifiers=f"{SPACES} {HINTS} v2 v4", types=TYPES)
def st(i):
    address, value = i.operands[:2]
    values = describe(i, address, value)
    if i.space not in STORES:
        raise refuse(i, f"a store to .{i.space}")
    return effect(STORES[i.space], [], [(address, "s64")] + [(v, i.type) for v in values])


@op("prefetch", modifiers="global local L1 L2 L2_evict_last L2_evict_normal")
def prefetch(i):
    return Op(lambda: None, [], [])


@op("prefetchu", modifiers="L1")
def prefetchu(i):
    return Op(lambda: None, [], [])


@op("discard", modifiers="global L2")
def discard(i):
    return Op(lambda: None, [], [])


@op(
    "createpolicy",
    modifiers="fractional range L2_evict_last L2_evict_normal L2_evict_first L2_evict_unchanged",
    types="b64",
)
def createpolicy(i):
    """Cache policies change no result."""
    return Op(lambda *a: np.int64(0), [(i.operands[0], "b64")], [])


@op("applypriority", modifiers="global L2_evict_normal")
def applypriority(i):
    return Op(lambda: None, [], [])

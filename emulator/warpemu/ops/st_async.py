"""st.async: a store to another block's shared memory that completes bytes of an mbarrier there.

Each lane's is a small copy of its own, which lands as bulk copies do; registered in load_store.py.
"""

import numpy as np

from .. import memory
from ..access import Access
from ..bulk import Flight
from ..ptx import BYTES, Vector
from . import DTYPES, effect, refuse
from .bulk import DONE, active, same_block

WORDS = {"async", "weak", "shared_cluster", DONE, "v2", "v4"}
TYPES = "b32 b64 u32 u64 s32 s64 f32 f64"


def st_async(instruction):
    """[address], value or {values}, [mbarrier] -> nothing; any lane shapes."""
    words = set(instruction.parts[1:]) - {instruction.type}
    if not {"async", "shared_cluster", DONE} <= words <= WORDS or instruction.type not in TYPES:
        raise refuse(instruction, "this form")
    target, value, barrier = instruction.operands
    items = value.items if isinstance(value, Vector) else (value,)
    size = BYTES[instruction.type] * len(items)
    if size > 16:
        raise refuse(instruction, f"{size} bytes at once")
    kind = DTYPES[instruction.type]
    instruction.access = Access("shared", kind, size, len(items), verb="writes", counted=0)
    offsets = np.int64(target.offset), np.int64(barrier.offset)

    def fn(state, group, mask, instruction, target, barrier, *values):
        data = np.broadcast_to(memory.join(values, size), group.shape)
        raw = np.ascontiguousarray(group.compress(data, mask)).view(np.uint8).reshape(-1, size)
        places = target + offsets[0], barrier + offsets[1]
        for lane, to, bar in active(state, group, mask, instruction, *places):
            row, offset = lane.in_shared(to, size, size)
            one = lane.mbarrier(bar, copying=False)
            same_block(lane, row, one)
            piece = raw[lane.position][None]
            if state.launch.perturb == "distant" and row != lane.by[0]:
                piece = np.zeros_like(piece)
            state.flights.start(Flight(instruction, row, lane.by, np.array([offset]), piece, one))

    ins = [(target, "s64"), (barrier, "s64")] + [(v, instruction.type) for v in items]
    return effect(fn, [], ins)

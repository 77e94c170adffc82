"""call of what the emulator supplies itself: printf and assert. (Other calls are inlined in
ptx.py.)
"""

import numpy as np

from ..memory import LOCAL_WINDOW, local_address, round_up, window
from ..ptx import Vector, called
from . import effect, formats, op, refuse


@op("call", modifiers="uni")
def call(instruction):
    """vprintf: format, arguments (int64, generic) -> int32 0. __assertfail: message, file (int64),
    line (int32) -> nothing, a Finding. Any lane shapes.
    """
    name = called(instruction)
    vectors = [o.items for o in instruction.operands if isinstance(o, Vector)]
    if name == "vprintf":
        return effect(vprintf, [(vectors[0][0], "s32")], [(o, "s64") for o in vectors[1]])
    if name == "__assertfail":
        return effect(
            assertion, [], [(o, "s64") for o in vectors[-1][:2]] + [(vectors[-1][2], "s32")]
        )
    raise refuse(instruction, f"a call of {name}")


def string_at(state, lane, address):
    """The bytes of the C string at a generic address, as a lane sees it; None if there is none."""
    kind = int(window(np.int64(address)))
    start = int(local_address(np.int64(address), kind))
    if kind == 1:
        data = state.shared.data[lane // state.lanes.threads]
    elif kind == 2:
        data = state.local.words[:, lane].copy().view(np.uint8)
    else:
        array = state.memory.at(start)
        if array is None:
            return None
        data, start = array.data, start - array.base
    data = data[start:]
    return bytes(data[: int(np.argmax(data == 0))]) if start >= 0 and (data == 0).any() else None


def vprintf(state, group, mask, instruction, text, arguments):
    """Prints in the order of the lanes; arguments lie in local memory, in slots of their size. A
    string that is none is a Finding.
    """
    form = np.broadcast_to(text, group.shape)
    form = form.reshape(-1) if mask is None else form[mask]
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    where = np.broadcast_to(arguments, group.shape)
    where = where.reshape(-1) if mask is None else where[mask]
    for place, (lane, pointer, slot) in enumerate(zip(ids, form, where, strict=True)):

        def read(address, lane=int(lane), place=place):
            found = string_at(state, lane, address)
            if found is None:
                detail = f"printf is given {int(address):#x} as a string, and no string is there"
                lanes, array = np.array([place]), None
                state.fault(
                    "no string", group, mask, lanes, instruction, int(address), array, detail
                )
            return found

        state.print(filled(state, read, read(pointer), int(lane), int(slot)))
    return np.int32(0)


def filled(state, read, form, lane, slot):
    """The text of a format and a lane's arguments."""
    words = state.local.words[:, lane]
    position = (slot - LOCAL_WINDOW) if slot >= LOCAL_WINDOW else slot

    def take(size, dtype):
        nonlocal position
        position = round_up(position, size)
        word = position // 4
        position += size
        return words[word : word + size // 4].copy().view(dtype)[0]

    said = formats.expand(
        form,
        lambda size: int(take(size, np.uint32 if size == 4 else np.uint64)),
        lambda: float(take(8, np.float64)),
        lambda: read(take(8, np.int64)),
    )
    return said.decode(errors="replace")


def assertion(state, group, mask, instruction, message, file, line):
    """assert(): stops the launch with the condition's text."""
    lanes = np.flatnonzero(np.broadcast_to(True, group.shape) if mask is None else mask)
    if not len(lanes):
        return
    text = string_at(state, 0, np.asarray(message).reshape(-1)[0]).decode(errors="replace")
    state.fault(
        "assertion failed",
        group,
        None,
        lanes,
        instruction,
        None,
        None,
        detail=f"assert({text}) does not hold",
    )

"""call of what the emulator supplies itself: printf and assert. (Other calls are inlined in
ptx.py.)
"""

import re

import numpy as np

from ..memory import LOCAL_WINDOW
from ..ptx import Vector, called
from . import effect, op, refuse


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


def text_at(state, address):
    """The C string at a global address."""
    array = state.memory.at(int(address))
    data = array.data[int(address) - array.base :]
    return bytes(data[: int(np.argmax(data == 0))]).decode(errors="replace")


PIECE = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|t|j)?([diouxXeEfFgGaAcspn%])")


def vprintf(state, group, mask, instruction, text, arguments):
    """Prints in the order of the lanes; arguments lie in local memory, in slots of their size."""
    form = np.broadcast_to(text, group.shape)
    form = form.reshape(-1) if mask is None else form[mask]
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    where = np.broadcast_to(arguments, group.shape)
    where = where.reshape(-1) if mask is None else where[mask]
    for lane, pointer, slot in zip(ids, form, where, strict=True):
        state.print(expand(state, text_at(state, pointer), int(lane), int(slot)))
    return np.int32(0)


def expand(state, form, lane, slot):
    words = state.local.words[:, lane]
    offset = (slot - LOCAL_WINDOW) if slot >= LOCAL_WINDOW else slot
    position = [offset]

    def take(size, dtype):
        position[0] = -(-position[0] // size) * size
        word = position[0] // 4
        position[0] += size
        return words[word : word + size // 4].copy().view(dtype)[0]

    def one(match):
        flags, width, precision, length, kind = match.groups()
        if kind == "%":
            return "%"
        width = str(take(4, np.int32)) if width == "*" else width or ""
        precision = str(take(4, np.int32)) if precision == "*" else precision
        spec = "%" + flags + width + ("." + precision if precision is not None else "")
        long = length in ("l", "ll", "z", "t", "j")
        if kind in "di":
            return (spec + "d") % int(take(8, np.int64) if long else take(4, np.int32))
        if kind in "ouxX":
            return (spec + ("d" if kind == "u" else kind)) % int(
                take(8, np.uint64) if long else take(4, np.uint32)
            )
        if kind == "c":
            return (spec + "c") % chr(int(take(4, np.int32)) & 255)
        if kind == "s":
            return (spec + "s") % text_at(state, take(8, np.int64))
        if kind == "p":
            return (spec + "s") % hex(int(take(8, np.uint64)))
        value = float(take(8, np.float64))
        return float.hex(value) if kind in "aA" else (spec + kind) % value

    return PIECE.sub(one, form)


def assertion(state, group, mask, instruction, message, file, line):
    """assert(): stops the launch with the condition's text."""
    lanes = np.flatnonzero(np.broadcast_to(True, group.shape) if mask is None else mask)
    if not len(lanes):
        return
    text = text_at(state, np.asarray(message).reshape(-1)[0])
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

"""ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory and fragments;
movmatrix.
"""

import numpy as np

from .. import memory
from ..access import Access
from ..ptx import Vector
from . import effect, op
from .mma import GROUP, LANE, MEMBER, lane_values, warp_matrix

WORDS = "sync aligned m8n8 x1 x2 x4 trans shared shared_cta"
HALF = np.int16  # an element


def matrices(instruction):
    """How many matrices it moves: 1, 2 or 4."""
    return int(next((p for p in instruction.parts if p in ("x1", "x2", "x4")), "x1")[1])


def row_access(address, verb):
    """The Access of a lane that gives the address of a row of 16 bytes."""
    return Access("shared", np.complex128, 16, offset=address.offset, verb=verb, counted=16)


def row_addresses(state, group, mask, instruction, address):
    """Byte offsets (warps, matrices, 8) of the rows: matrix j's come from lanes 8j to 8j + 7."""
    number = matrices(instruction)
    rows = warp_matrix(state, group, mask, instruction, address)[:, : 8 * number]
    if not any(word.startswith("shared") for word in instruction.parts):  # generic addresses
        bad = memory.window(rows) != 1
        if bad.any():
            first = int(rows[bad][0])
            detail = f"the address {first:#x} of one of its rows is not in shared memory"
            kind = "shared out of bounds"
            state.fault(kind, group, mask, [0], instruction, first, None, detail=detail)
        rows = memory.local_address(rows, 1)
    if state.reach is not None:
        rows = rows - state.windows[blocks(state, group, mask, instruction)]
    return rows.reshape(len(rows), number, 8)


def blocks(state, group, mask, instruction):
    """The block of the chunk that each warp is of, (warps,)."""
    lanes = warp_matrix(state, group, mask, instruction, group.ids)
    return lanes[:, 0] // group.lanes.threads


def first_elements(state, group, mask, instruction, rows):
    """Where each row starts in the chunk's shared memory, counted in elements, as rows."""
    words = state.shared.view(HALF).shape[1]
    block = blocks(state, group, mask, instruction)
    return (rows + instruction.access.offset) // 2 + (block * words)[:, None, None]


def checked(state, group, mask, instruction, rows, kind):
    """(the lanes that give addresses, as a mask; their byte offsets, (n,)), after bounds and
    counters: each row is a 16-byte access of one of them.
    """
    count = rows.shape[1] * 8
    providing = lane_values(group, mask, np.broadcast_to(count > LANE, (len(rows), 32)))
    providing = providing if mask is None else providing & mask
    full = np.zeros((len(rows), 32), np.int64)
    full[:, :count] = rows.reshape(len(rows), -1)
    address = group.compress(lane_values(group, mask, full), providing)
    offset = memory.shared_offsets(state, group, providing, instruction, address)
    if state.tally:
        rows = rows + instruction.access.offset
        state.tally.matrices(state, group, instruction, rows, kind)
    return providing, offset


@op("ldmatrix", modifiers=WORDS, types="b16")
def ldmatrix(instruction):
    """row addresses (int64) -> int32, one a matrix: two elements a lane; any lane shape -> the
    group's.
    """
    target, address = instruction.operands
    instruction.access = row_access(address, "reads")
    items = target.items if isinstance(target, Vector) else (target,)
    row, col = pattern("trans" in instruction.parts)

    def fn(state, group, mask, instruction, address):
        rows = row_addresses(state, group, mask, instruction, address)
        providing, offset = checked(state, group, mask, instruction, rows, "ld")
        if state.checker:
            state.checker.shared_read(group, providing, instruction, offset)
        start = first_elements(state, group, mask, instruction, rows)
        # (warps, matrices, 32, 2): the two elements of each lane
        elements = state.shared.view(HALF).reshape(-1)[start[:, :, row] + col]
        words = np.ascontiguousarray(elements).view(np.int32)[..., 0]
        result = tuple(lane_values(group, mask, words[:, k]) for k in range(words.shape[1]))
        return result if len(result) > 1 else result[0]

    return effect(fn, [(o, "b32") for o in items], [(address, "s64")])


def pattern(transposed):
    """(row, column) of a lane's two elements: (32, 2) each."""
    row, col = np.repeat(GROUP[:, None], 2, axis=1), MEMBER[:, None] * 2 + np.arange(2)
    return (col, row) if transposed else (row, col)


@op("stmatrix", modifiers=WORDS, types="b16")
def stmatrix(instruction):
    """row addresses (int64), int32 a matrix -> nothing; any lane shapes."""
    address, source = instruction.operands
    instruction.access = row_access(address, "writes")
    items = source.items if isinstance(source, Vector) else (source,)
    row, col = pattern("trans" in instruction.parts)

    def fn(state, group, mask, instruction, address, *values):
        rows = row_addresses(state, group, mask, instruction, address)
        providing, offset = checked(state, group, mask, instruction, rows, "st")
        if state.checker:
            state.checker.shared_write(group, providing, instruction, offset, None)
        start = first_elements(state, group, mask, instruction, rows)
        table = state.shared.view(HALF).reshape(-1)
        for k, value in enumerate(values):
            words = np.ascontiguousarray(warp_matrix(state, group, mask, instruction, value))
            elements = words.view(HALF).reshape(-1, 32, 2)
            memory.assign(state, table, start[:, k, row] + col, elements)

    return effect(fn, [], [(address, "s64")] + [(o, "b32") for o in items])


@op("movmatrix", modifiers="sync aligned m8n8 trans", types="b16")
def movmatrix(instruction):
    """int32 (two elements a lane) -> int32, of the transpose; any lane shape -> the group's."""

    def fn(state, group, mask, instruction, value):
        words = np.ascontiguousarray(warp_matrix(state, group, mask, instruction, value))
        row, col = pattern(False)
        matrix = np.zeros((len(words), 8, 8), HALF)
        matrix[:, row, col] = words.view(HALF).reshape(-1, 32, 2)
        turned = np.ascontiguousarray(matrix.transpose(0, 2, 1)[:, row, col])
        return lane_values(group, mask, turned.view(np.int32)[..., 0])

    return effect(fn, [(instruction.operands[0], "b32")], [(instruction.operands[1], "b32")])

"""ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory and fragments;
movmatrix.
"""

import numpy as np

from .. import memory
from ..ptx import Vector
from . import effect, op
from .mma import GROUP, LANE, MEMBER, lane_values, warp_matrix

WORDS = "sync aligned m8n8 x1 x2 x4 trans shared shared_cta"


def describe(instruction, address):
    instruction.number = int(
        next((p for p in instruction.parts if p in ("x1", "x2", "x4")), "x1")[1]
    )
    instruction.transposed = "trans" in instruction.parts
    (
        instruction.space,
        instruction.count,
        instruction.bytes,
        instruction.counted,
        instruction.strong,
    ) = "shared", 1, 16, 16, False
    instruction.wide, instruction.shift, instruction.dtype = np.complex128, 4, np.complex128
    instruction.offset = address.offset


def row_addresses(state, group, mask, instruction, address):
    """Byte offsets (warps, number, 8) of the rows: matrix j's come from lanes 8j to 8j + 7."""
    rows = warp_matrix(state, group, mask, instruction, address)[:, : 8 * instruction.number]
    return rows.reshape(len(rows), instruction.number, 8)


def warp_blocks(state, group, mask, instruction):
    """Which block of the chunk each warp is in."""
    return warp_matrix(state, group, mask, instruction, group.ids)[:, 0] // group.lanes.threads


def checked(state, group, mask, instruction, rows, kind):
    """Bounds, counters and races of the rows, as 16-byte accesses of the lanes that give the
    addresses.
    """
    lanes = np.broadcast_to(8 * instruction.number > LANE, (len(rows), 32))
    providing = lane_values(group, mask, lanes)
    full = np.zeros((len(rows), 32), np.int64)
    full[:, : 8 * instruction.number] = rows.reshape(len(rows), -1)
    address = lane_values(group, mask, full)
    providing = providing if mask is None else providing & mask
    offset = memory.shared_offsets(
        state, group, providing, instruction, group.compress(address, providing)
    )
    if state.tally:
        state.tally.matrices(state, group, instruction, rows + instruction.offset, kind)
    return providing, address + np.int64(instruction.offset), offset


@op("ldmatrix", modifiers=WORDS, types="b16")
def ldmatrix(instruction):
    target, address = instruction.operands
    describe(instruction, address)
    items = target.items if isinstance(target, Vector) else (target,)

    def fn(state, group, mask, instruction, address):
        rows = row_addresses(state, group, mask, instruction, address)
        providing, _, offset = checked(state, group, mask, instruction, rows, "ld")
        if state.checker:
            state.checker.shared_read(state, group, providing, instruction, offset)
        table = state.shared.view(np.int16)
        start = (rows + instruction.offset) // 2 + (
            warp_blocks(state, group, mask, instruction) * table.shape[1]
        )[:, None, None]
        row, col = pattern(instruction.transposed)
        # (warps, number, 32, 2): the two elements of each lane
        elements = table.reshape(-1)[start[:, :, row] + col]
        words = np.ascontiguousarray(elements).view(np.int32)[..., 0]
        result = tuple(lane_values(group, mask, words[:, k]) for k in range(instruction.number))
        return result if instruction.number > 1 else result[0]

    return effect(fn, [(o, "b32") for o in items], [(address, "s64")])


def pattern(transposed):
    """(row, column) of a lane's two elements: (32, 2) each."""
    row, col = np.repeat(GROUP[:, None], 2, axis=1), MEMBER[:, None] * 2 + np.arange(2)
    return (col, row) if transposed else (row, col)


@op("stmatrix", modifiers=WORDS, types="b16")
def stmatrix(instruction):
    address, source = instruction.operands
    describe(instruction, address)
    items = source.items if isinstance(source, Vector) else (source,)

    def fn(state, group, mask, instruction, address, *values):
        rows = row_addresses(state, group, mask, instruction, address)
        providing, _, offset = checked(state, group, mask, instruction, rows, "st")
        if state.checker:
            state.checker.shared_write(state, group, providing, instruction, offset, None)
        state.changes += 1
        table = state.shared.view(np.int16)
        start = (rows + instruction.offset) // 2 + (
            warp_blocks(state, group, mask, instruction) * table.shape[1]
        )[:, None, None]
        row, col = pattern(instruction.transposed)
        for k, value in enumerate(values):
            words = np.ascontiguousarray(warp_matrix(state, group, mask, instruction, value))
            table.reshape(-1)[start[:, k, row] + col] = words.view(np.int16).reshape(-1, 32, 2)

    return effect(fn, [], [(address, "s64")] + [(o, "b32") for o in items])


@op("movmatrix", modifiers="sync aligned m8n8 trans", types="b16")
def movmatrix(instruction):
    """The transpose of an 8x8 matrix held in fragments."""

    def fn(state, group, mask, instruction, value):
        words = np.ascontiguousarray(warp_matrix(state, group, mask, instruction, value))
        row, col = pattern(False)
        matrix = np.zeros((len(words), 8, 8), np.int16)
        matrix[:, row, col] = words.view(np.int16).reshape(-1, 32, 2)
        turned = np.ascontiguousarray(matrix.transpose(0, 2, 1)[:, row, col])
        return lane_values(group, mask, turned.view(np.int32)[..., 0])

    return effect(fn, [(instruction.operands[0], "b32")], [(instruction.operands[1], "b32")])

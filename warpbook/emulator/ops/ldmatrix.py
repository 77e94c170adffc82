"""ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory and fragments;
movmatrix.
"""

import numpy as np

from .. import memory
from ..ptx import Vector
from . import effect, op
from .mma import GROUP, LANE, MEMBER, lane_values, warp_matrix

WORDS = "sync aligned m8n8 x1 x2 x4 trans shared shared_cta"


def describe(i, address):
    i.number = int(next((p for p in i.parts if p in ("x1", "x2", "x4")), "x1")[1])
    i.transposed = "trans" in i.parts
    i.space, i.count, i.bytes, i.counted, i.strong = "shared", 1, 16, 16, False
    i.wide, i.shift, i.dtype = np.complex128, 4, np.complex128
    i.offset = address.offset


def row_addresses(S, G, mask, i, address):
    """Byte offsets (warps, number, 8) of the rows: matrix j's come from lanes 8j to 8j + 7."""
    rows = warp_matrix(S, G, mask, i, address)[:, : 8 * i.number]
    return rows.reshape(len(rows), i.number, 8)


def warp_blocks(S, G, mask, i):
    """Which block of the chunk each warp is in."""
    return warp_matrix(S, G, mask, i, G.ids)[:, 0] // G.lanes.threads


def checked(S, G, mask, i, rows, kind):
    """Bounds, counters and races of the rows, as 16-byte accesses of the lanes that give the
    addresses.
    """
    lanes = np.broadcast_to(8 * i.number > LANE, (len(rows), 32))
    providing = lane_values(G, mask, lanes)
    full = np.zeros((len(rows), 32), np.int64)
    full[:, : 8 * i.number] = rows.reshape(len(rows), -1)
    address = lane_values(G, mask, full)
    providing = providing if mask is None else providing & mask
    offset = memory.shared_offsets(S, G, providing, i, G.compress(address, providing))
    if S.tally:
        S.tally.matrices(S, G, i, rows + i.offset, kind)
    return providing, address + np.int64(i.offset), offset


@op("ldmatrix", modifiers=WORDS, types="b16")
def ldmatrix(i):
    target, address = i.operands
    describe(i, address)
    items = target.items if isinstance(target, Vector) else (target,)

    def fn(S, G, mask, i, address):
        rows = row_addresses(S, G, mask, i, address)
        providing, _, offset = checked(S, G, mask, i, rows, "ld")
        if S.checker:
            S.checker.shared_read(S, G, providing, i, offset)
        table = S.shared.view(np.int16)
        start = (rows + i.offset) // 2 + (warp_blocks(S, G, mask, i) * table.shape[1])[
            :, None, None
        ]
        row, col = pattern(i.transposed)
        # (warps, number, 32, 2): the two elements of each lane
        elements = table.reshape(-1)[start[:, :, row] + col]
        words = np.ascontiguousarray(elements).view(np.int32)[..., 0]
        result = tuple(lane_values(G, mask, words[:, k]) for k in range(i.number))
        return result if i.number > 1 else result[0]

    return effect(fn, [(o, "b32") for o in items], [(address, "s64")])


def pattern(transposed):
    """(row, column) of a lane's two elements: (32, 2) each."""
    row, col = np.repeat(GROUP[:, None], 2, axis=1), MEMBER[:, None] * 2 + np.arange(2)
    return (col, row) if transposed else (row, col)


@op("stmatrix", modifiers=WORDS, types="b16")
def stmatrix(i):
    address, source = i.operands
    describe(i, address)
    items = source.items if isinstance(source, Vector) else (source,)

    def fn(S, G, mask, i, address, *values):
        rows = row_addresses(S, G, mask, i, address)
        providing, _, offset = checked(S, G, mask, i, rows, "st")
        if S.checker:
            S.checker.shared_write(S, G, providing, i, offset, None)
        S.changes += 1
        table = S.shared.view(np.int16)
        start = (rows + i.offset) // 2 + (warp_blocks(S, G, mask, i) * table.shape[1])[
            :, None, None
        ]
        row, col = pattern(i.transposed)
        for k, value in enumerate(values):
            words = np.ascontiguousarray(warp_matrix(S, G, mask, i, value))
            table.reshape(-1)[start[:, k, row] + col] = words.view(np.int16).reshape(-1, 32, 2)

    return effect(fn, [], [(address, "s64")] + [(o, "b32") for o in items])


@op("movmatrix", modifiers="sync aligned m8n8 trans", types="b16")
def movmatrix(i):
    """The transpose of an 8x8 matrix held in fragments."""

    def fn(S, G, mask, i, value):
        words = np.ascontiguousarray(warp_matrix(S, G, mask, i, value))
        row, col = pattern(False)
        matrix = np.zeros((len(words), 8, 8), np.int16)
        matrix[:, row, col] = words.view(np.int16).reshape(-1, 32, 2)
        turned = np.ascontiguousarray(matrix.transpose(0, 2, 1)[:, row, col])
        return lane_values(G, mask, turned.view(np.int32)[..., 0])

    return effect(fn, [(i.operands[0], "b32")], [(i.operands[1], "b32")])

"""What a warp's request costs: sectors of global memory, wavefronts of shared memory."""

import numpy as np

SECTOR = 5  # 2**5 bytes
BORDER = slice(31, None, 32)  # in the flat differences of (N, 32): from one warp to the next


def distinct(rows):
    """(rows sorted where they were not ascending, where a value differs from the one before it).

    rows: (N, 32). The second has the first lane of each warp true, so its sum is the sum over warps
    of the number of distinct values.
    """
    flat = rows.reshape(-1)
    step = flat[1:] - flat[:-1]
    step[BORDER] = 1
    if len(step) and step.min() < 0:
        rows = np.sort(rows, axis=1)
        flat = rows.reshape(-1)
        step = flat[1:] - flat[:-1]
        step[BORDER] = 1
    return flat, np.concatenate((ONE, step != 0))


ONE = np.ones(1, bool)


def wavefronts(rows, size, present=None, load=True):
    """(wavefronts, passes without conflicts) of each row, for accesses of size bytes a lane.

    32 banks of 4 bytes; a pass takes as many wavefronts as the most distinct words in one bank.
    64-bit accesses take two half-warp passes, 128-bit ones four quarter-warp passes; loads half as
    many if lanes n and n ^ 1, or n and n ^ 2, read the same addresses, where a lane that takes no
    part agrees with any.
    """
    passes = max(1, size // 4)
    if rows.shape[1] == 1:
        cost = np.full(len(rows), max(1, passes // 2) if load else passes)
        return cost, cost
    if passes == 1:
        return conflicts(rows >> 2), np.ones(len(rows), np.int64)
    result, ideal = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    rest, lane = np.ones(len(rows), bool), np.arange(32)
    for bit in (1, 2) if load else ():
        alike = rows == rows[:, lane ^ bit]
        if present is not None:
            alike |= ~(present & present[:, lane ^ bit])
        paired = rest & alike.all(axis=1)
        if paired.any():
            result[paired], ideal[paired] = by_pass(rows, size, passes // 2, present, paired)
        rest &= ~paired
    if rest.any():
        result[rest], ideal[rest] = by_pass(rows, size, passes, present, rest)
    return result, ideal


def by_pass(rows, size, passes, present, chosen):
    """Sums over the passes of the chosen rows; a pass in which no lane takes part costs nothing."""
    split = rows[chosen].reshape(-1, 32 // passes)
    need = np.ones(len(split), np.int64)
    if present is not None:
        here = present[chosen].reshape(split.shape)
        first = np.take_along_axis(split, here.argmax(axis=1)[:, None], axis=1)
        split, need = np.where(here, split, first), here.any(axis=1).astype(np.int64)
    words = (split >> 2)[:, :, None] + np.arange(size // 4)
    cost = conflicts(words.reshape(len(split), -1)) * need
    return cost.reshape(-1, passes).sum(axis=1), need.reshape(-1, passes).sum(axis=1)


def conflicts(words):
    """Most distinct words in one bank, for each row of (N, up to 32) word numbers."""
    words = np.sort(words, axis=1)
    fresh = np.ones(words.shape, bool)
    fresh[:, 1:] = words[:, 1:] != words[:, :-1]
    place = (words & 31) + np.arange(len(words))[:, None] * 32
    counts = np.bincount(place[fresh], minlength=32 * len(words))
    return counts.reshape(-1, 32).max(axis=1)

"""What a warp's request costs: sectors of global memory, passes and wavefronts of shared memory.

The report counts by these rules and the pictures of requests draw by them.
"""

import numpy as np

SECTOR = 5  # log2 of the bytes of a sector
LINE = 7  # log2 of the bytes of a line of the L1 cache
BANKS, WORD = 32, 4  # of shared memory: banks, and bytes that one gives in a wavefront
LANE = np.arange(32)
BORDER = slice(31, None, 32)  # in the flat differences of (N, 32): from one warp to the next
ONE = np.ones(1, bool)


# Global memory ---------------------------------------------------------------------------------
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


def past_l1(rows, present=None):
    """What the profiler counts as sectors of copies of 16 bytes a lane that pass by the L1 cache
    (cp.async.cg), (N,): for each pair of lanes 2n and 2n + 1, in how many lines it copies.

    Where neighbours copy 32 bytes that begin at a multiple of 32, these are the sectors. rows,
    present: as for ``wavefronts``; lanes that copy nothing are not present.
    """
    lines = np.broadcast_to(rows, (len(rows), 32)) >> LINE
    here = np.ones(lines.shape, bool) if present is None else present
    even, odd = here[:, ::2], here[:, 1::2]
    both = even & odd & (lines[:, ::2] == lines[:, 1::2])
    return even.sum(axis=1) + odd.sum(axis=1) - both.sum(axis=1)


# Shared memory ---------------------------------------------------------------------------------
def wavefronts(
    rows: np.ndarray, size: int, present: np.ndarray | None = None, load: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """(wavefronts, passes) of each row, (N,) ints; more wavefronts than passes are bank conflicts.

    rows: (N, 32) byte addresses of the lanes of a warp, multiples of size; (N, 1) where all 32
    lanes have one address. size: bytes a lane, 1, 2, 4, 8 or 16. present: which lanes take part,
    bool (N, 32), or None for all; those that do not repeat the address of one that does. load: a
    load, not a store.
    """
    if rows.shape[1] == 1:
        cost = np.full(len(rows), passes_of(rows.repeat(32, axis=1)[:1], size, None, load)[0])
        return cost, cost
    if size <= WORD:
        return conflicts(rows // WORD), np.ones(len(rows), np.int64)
    count = passes_of(rows, size, present, load)
    result, ideal = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for number in np.unique(count):
        chosen = count == number
        here = None if present is None else present[chosen]
        result[chosen], ideal[chosen] = by_pass(rows[chosen], size, number, here)
    return result, ideal


def passes_of(rows, size, present=None, load=True):
    """How many groups of neighbouring lanes shared memory serves each row in, one after the other,
    (N,); a group in which no lane takes part costs nothing. Arguments: as of ``wavefronts``.

    64-bit accesses go by two half-warps, 128-bit ones by four quarter-warps; loads by half as many
    groups if lanes n and n ^ 1, or n and n ^ 2, read the same addresses, where a lane that takes no
    part agrees with any.
    """
    most = max(1, size // WORD)
    count = np.full(len(rows), most)
    if load and most > 1:
        paired = agree(rows, present, 1) | agree(rows, present, 2)
        count[paired] = most // 2
    return count


def agree(rows, present, bit):
    """Do lanes n and n ^ bit have one address, or one of them none, for all n? (N,) bools."""
    alike = rows == rows[:, LANE ^ bit]
    if present is not None:
        alike |= ~(present & present[:, LANE ^ bit])
    return alike.all(axis=1)


def words_of(addresses, size):
    """Numbers of the 4-byte words that accesses of size bytes touch: one axis more."""
    return (addresses // WORD)[..., None] + np.arange(max(1, size // WORD))


def by_pass(rows, size, passes, present):
    """(wavefronts, passes in which some lane takes part) of rows that all go by so many passes."""
    split = rows.reshape(-1, 32 // passes)
    need = np.ones(len(split), np.int64)
    if present is not None:
        here = present.reshape(split.shape)
        first = np.take_along_axis(split, here.argmax(axis=1)[:, None], axis=1)
        split, need = np.where(here, split, first), here.any(axis=1).astype(np.int64)
    cost = conflicts(words_of(split, size).reshape(len(split), -1)) * need
    return cost.reshape(-1, passes).sum(axis=1), need.reshape(-1, passes).sum(axis=1)


def conflicts(words):
    """Wavefronts that each pass takes, (N,): the most distinct words in one bank. words: (N, k)
    word numbers.
    """
    words = np.sort(words, axis=1)
    fresh = np.ones(words.shape, bool)
    fresh[:, 1:] = words[:, 1:] != words[:, :-1]
    place = words % BANKS + np.arange(len(words))[:, None] * BANKS
    counts = np.bincount(place[fresh], minlength=BANKS * len(words))
    return counts.reshape(-1, BANKS).max(axis=1)


def served(
    lanes: dict[int, int], size: int, load: bool = True
) -> list[tuple[dict[int, int], list[dict[int, int]]]]:
    """How shared memory serves one request: [(lanes, wavefronts)], one a pass.

    lanes: {lane: byte address} of those that take part, in the request and in each pass. A
    wavefront is {bank: word}: in it, a bank gives one of the words that lanes of the pass ask for.
    """
    row, present = np.full((1, 32), next(iter(lanes.values()))), np.zeros((1, 32), bool)
    for lane, address in lanes.items():
        row[0, lane], present[0, lane] = address, True
    width = 32 // int(passes_of(row, size, present, load)[0])
    result = []
    for start in range(0, 32, width):
        group = {n: at for n, at in lanes.items() if start <= n < start + width}
        if group:
            queues: dict[int, dict[int, None]] = {}  # bank -> the distinct words asked of it
            for word in words_of(np.array(list(group.values())), size).reshape(-1).tolist():
                queues.setdefault(word % BANKS, {})[word] = None
            banks = {bank: list(words) for bank, words in queues.items()}
            length = max(map(len, banks.values()))
            rows = [{b: q[k] for b, q in banks.items() if k < len(q)} for k in range(length)]
            result.append((group, rows))
    return result

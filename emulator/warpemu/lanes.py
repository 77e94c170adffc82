"""Groups of lanes that run together.

A chunk is ``B`` blocks of ``T`` threads. A register of a chunk is a NumPy scalar (one value for
all), or an array of shape (1, T) (the same in every block), (B, 1) (one value a block) or (B, T).
All arithmetic broadcasts, so what depends on the thread alone is computed once for all blocks.
Arrays of registers are C-contiguous: see ``contiguous``.

A Group is the set of lanes at one place of the program:
- everyone: all lanes that have not exited; ``mask`` marks them if some have;
- a rectangle: some ``rows`` (blocks) times some ``cols`` (threads), slices where contiguous;
- a list: ``flat`` lane numbers, block * T + thread; its values are scalars or of shape (n,).
"""

import math

import numpy as np

WARP = 32


class Lanes:
    """The shape of a chunk: blocks, threads, and warps a block."""

    def __init__(self, blocks, threads):
        self.blocks, self.threads = blocks, threads
        self.warps = -(-threads // WARP)

    def everyone(self, alive=None):
        """The Group of all lanes, or of those marked in alive (bool, (B, T))."""
        if alive is None:
            return Group(self, slice(None), slice(None))
        group = Group(self, slice(None), slice(None), mask=alive)
        # Few left alive: computing the dead ones as well would cost more than gathering.
        return group if 4 * group.count > 3 * self.blocks * self.threads else self.select(alive)

    def select(self, mask):
        """The Group of the lanes marked in mask, a bool array of shape (1 or B, 1 or T)."""
        rows, cols = mask.any(axis=1), mask.any(axis=0)
        if np.count_nonzero(mask) == np.count_nonzero(rows) * np.count_nonzero(cols):
            return Group(
                self,
                indices(rows) if len(rows) == self.blocks else slice(None),
                indices(cols) if len(cols) == self.threads else slice(None),
            )
        mask = np.broadcast_to(mask, (self.blocks, self.threads))
        return Group(self, None, None, flat=np.flatnonzero(mask))


def indices(mask):
    """Where mask is true: a slice if contiguous, else an index array."""
    found = mask.nonzero()[0]
    if len(found) and found[-1] - found[0] + 1 == len(found):
        return slice(int(found[0]), int(found[-1]) + 1)
    return found


def contiguous(value):
    """value, copied if its elements do not lie in C order without gaps.

    Registers, and what Group.read gives, are so: of any other array ``reshape(-1)`` is a copy, and
    what is written to the copy is lost.
    """
    return value if value.flags.c_contiguous else value.copy()


def length(index, full):
    return len(range(*index.indices(full))) if isinstance(index, slice) else len(index)


class Group:
    def __init__(self, lanes, rows, cols, flat=None, mask=None):
        self.lanes, self.rows, self.cols, self.flat, self.mask = lanes, rows, cols, flat, mask
        self.cache = {}
        if flat is None:
            self.shape = (length(rows, lanes.blocks), length(cols, lanes.threads))
            self.whole = self.shape == (lanes.blocks, lanes.threads)
        else:
            self.shape, self.whole = (len(flat),), False
        self.count = int(np.count_nonzero(mask)) if mask is not None else math.prod(self.shape)

    def get(self, key, make):
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    # Values of the chunk <-> values of the group ------------------------------------------------
    def read(self, value):
        """The group's part of a register of the chunk, C-contiguous."""
        if self.whole or value.ndim == 0:
            return value
        if self.flat is None:
            if value.shape[0] > 1:
                value = value[self.rows]
            return contiguous(value[:, self.cols]) if value.shape[1] > 1 else value
        if value.shape[0] == 1:
            return value[0][self.threads] if value.shape[1] > 1 else value[0, 0]
        return value.reshape(-1)[self.flat] if value.shape[1] > 1 else value[:, 0][self.blocks]

    def write(self, old, new):
        """The chunk's register old with the group's part replaced by new; may reuse old's array.

        Every value that is stored in a register passes here, so every register is C-contiguous.
        """
        if self.whole:
            return contiguous(new)
        lanes, flat = self.lanes, self.flat
        tall = lanes.blocks > 1 and (
            flat is not None or self.shape[0] < lanes.blocks or varies(new, 0) or varies(old, 0)
        )
        wide = lanes.threads > 1 and (
            flat is not None or self.shape[1] < lanes.threads or varies(new, 1) or varies(old, 1)
        )
        shape = (lanes.blocks if tall else 1, lanes.threads if wide else 1)
        if old.ndim and old.shape == shape and old.dtype == new.dtype:
            result = contiguous(old)
        else:
            result = np.empty(shape, new.dtype)
            result[...] = old if old.dtype == new.dtype else old.view(new.dtype)
        if flat is None:
            rows = self.rows if tall else slice(None)
            cols = self.cols if wide else slice(None)
            if isinstance(rows, slice) or isinstance(cols, slice):
                result[rows, cols] = new
            else:
                result[rows[:, None], cols] = new
        else:
            result.reshape(-1)[flat] = new
        return result

    def write_masked(self, mask, old, new):
        """As write, of the lanes in mask alone; None for all."""
        if mask is not None:
            new = np.where(mask, new, self.read(old))
        return self.write(old, np.asarray(new)[()])

    @property
    def threads(self):
        """Thread number of each lane, to index with: (t,) or, for a list, (n,)."""
        if self.flat is None:
            return self.get("threads", lambda: np.arange(self.lanes.threads)[self.cols])
        return self.get("threads", lambda: self.flat % self.lanes.threads)

    @property
    def blocks(self):
        """Block number (within the chunk) of each lane: (b,) or, for a list, (n,)."""
        if self.flat is None:
            return self.get("blocks", lambda: np.arange(self.lanes.blocks)[self.rows])
        return self.get("blocks", lambda: self.flat // self.lanes.threads)

    @property
    def ids(self):
        """Lane number block * T + thread of every lane: shape (b, t) or (n,)."""
        if self.flat is not None:
            return self.flat
        return self.get("ids", lambda: self.blocks[:, None] * self.lanes.threads + self.threads)

    # Masks -------------------------------------------------------------------------------------
    def marks(self):
        """The group as a bool array of shape (1 or B, 1 or T)."""
        if self.mask is not None:
            return self.mask
        return (
            self.write(np.zeros((1, 1), bool), np.bool_(True))
            if not self.whole
            else np.ones((1, 1), bool)
        )

    def active(self, guard=None):
        """The mask of active lanes in the group's shape under a guard, or None if all are."""
        if guard is None or guard is np.True_:
            return self.mask
        if self.mask is not None:
            return self.mask & guard
        if np.ndim(guard) == 0:
            return None if guard else np.zeros(self.shape, bool)
        return np.broadcast_to(guard, self.shape)

    def split(self, predicate):
        """(the lanes where predicate holds, the others); None for no lanes."""
        if np.ndim(predicate) == 0:
            return (self, None) if predicate else (None, self)
        if self.mask is None:
            if predicate.all():
                return self, None
            if not predicate.any():
                return None, self
        else:
            if not (predicate & self.mask).any():
                return None, self
            if (predicate | ~self.mask).all():
                return self, None
        return self.where(predicate), self.where(~predicate)

    def where(self, predicate):
        """The Group of this group's lanes where predicate (an array in its shape) holds."""
        if self.mask is not None:
            predicate = predicate & self.mask
        if self.flat is not None:
            return Group(
                self.lanes, None, None, flat=self.flat[np.broadcast_to(predicate, self.shape)]
            )
        return self.lanes.select(self.write(np.zeros((1, 1), bool), predicate))

    # Warps -------------------------------------------------------------------------------------
    @property
    def aligned(self):
        """Do the lanes form whole warps, so that a reshape to (-1, 32) gives them?"""

        def find():
            if self.flat is not None or self.mask is not None or not isinstance(self.cols, slice):
                return False
            start, stop, _ = self.cols.indices(self.lanes.threads)
            return start % WARP == 0 and stop % WARP == 0

        return self.get("aligned", find)

    @property
    def warp_count(self):
        """Warps with at least one lane in the group."""
        return self.get(
            "warps",
            lambda: (
                int(len(self.fill[0]))
                if not self.aligned
                else self.shape[0] * self.shape[1] // WARP
            ),
        )

    @property
    def fill(self):
        """(positions (N, 32), present (N, 32)) of the group's lanes by warp; see ``by_warp``."""

        def make():
            ids = self.ids if self.mask is None else self.ids[self.mask]
            return by_warp(ids.reshape(-1), self.lanes)

        return self.get("fill", make)

    def warps(self, value, mask=None):
        """(matrix, times, present): value by warp.

        matrix: (N, 32), or (N, 1) where a warp's lanes agree; each row stands for ``times`` warps.
        present: None if all 32 lanes take part, else bool (N, 32). Lanes that do not take part
        repeat the first that does, so they add no sector, no bank conflict and no vote.
        """
        if mask is not None:
            positions, present = by_warp(self.ids[mask], self.lanes)
            return self.compress(value, mask)[positions], 1, present
        if value.ndim == 0:
            return value.reshape(1, 1), self.warp_count, None
        if self.flat is not None:
            return value[self.fill[0]], 1, self.fill[1]
        times = self.shape[0] // value.shape[0]
        if value.shape[1] == 1:
            return value, self.warp_count // self.shape[0] * times, None
        if self.aligned:
            return value.reshape(-1, WARP), times, None
        columns, present = self.get("columns", lambda: by_warp(self.threads, self.lanes))
        return value[:, columns].reshape(-1, WARP), times, np.tile(present, (value.shape[0], 1))

    def compress(self, value, mask):
        """value of the active lanes alone, (n,)."""
        if value.shape != self.shape:
            value = np.broadcast_to(value, self.shape)
        return value.reshape(-1) if mask is None else value[mask]

    def name(self, position):
        """(block of the chunk, thread) of the lane at a flat position in the group."""
        return divmod(int(self.ids.reshape(-1)[position]), self.lanes.threads)


def varies(value, axis):
    """May a value differ by block (axis 0) or by thread (axis 1)?"""
    return value.ndim > axis and value.shape[axis] > 1


def by_warp(ids, lanes):
    """(positions, present), both (N, 32): where in ids (ascending lane numbers) each warp's lanes
    are.

    A lane that is absent gets the position of its warp's first lane.
    """
    block, thread = np.divmod(ids, lanes.threads)
    warp = block * lanes.warps + thread // WARP
    first = np.concatenate(([True], warp[1:] != warp[:-1])) if len(ids) else np.zeros(0, bool)
    starts = np.flatnonzero(first)
    positions = np.repeat(starts[:, None], WARP, axis=1)
    present = np.zeros(positions.shape, bool)
    row = np.cumsum(first) - 1
    positions[row, thread % WARP] = np.arange(len(ids))
    present[row, thread % WARP] = True
    return positions, present


# Words of bits ------------------------------------------------------------------------------------
def words(flags):
    """One uint32 for each row of 32 bools: bit n is column n. flags: (..., 32)."""
    return (flags.astype(np.uint64) << BIT).sum(axis=-1).astype(np.uint32)


BIT = np.arange(WARP, dtype=np.uint64)


def flags(word):
    """The opposite: the bits of uint32 words as bools, (..., 32)."""
    return (word[..., None] >> BIT.astype(np.uint32) & np.uint32(1)).astype(bool)


def not_named(members, lane):
    """Positions of the lanes that their own member masks (uint32) do not name. lane: number of each
    in its warp or block, (n,).
    """
    bit = np.uint32(1) << (lane % 32).astype(np.uint32)
    return np.flatnonzero((members & bit) == 0)


def lowest_bit(word):
    """Number of the lowest bit that is set in an int; -1 for 0."""
    return (word & -word).bit_length() - 1


def unflatten(number, shape):
    """(x, y, z) of a number in a grid or block of that shape."""
    x = number % shape[0]
    y = number // shape[0] % shape[1]
    return x, y, number // (shape[0] * shape[1])

"""Memory of the emulated device.

Global memory is a set of named arrays. Array number n has the addresses from (n + 1) << 40 on, so a
wrong index cannot reach another array, and no address is one of the host's. Shared memory is an
array (blocks, bytes) of the chunk; local memory is (words, lanes), so that a fixed index is one
row. Generic addresses of shared and local memory lie in windows of their own.
"""

import weakref

import numpy as np

from .errors import EmulatorError

SLOT = 40
SHARED_WINDOW = 1 << 56
LOCAL_WINDOW = 1 << 57
WIDE = {
    1: np.int8,
    2: np.int16,
    4: np.int32,
    8: np.int64,
    16: np.complex128,
}  # by bytes: moved, not computed


PATTERN = np.uint32(0xFFC0DEAD)  # what an array that nobody wrote is full of (a NaN, as float32)
_unwritten = {}  # id of an owner -> (weak reference, bool per 4 bytes: written?)


def mark_uninitialised(array):
    """Fill array with a pattern and remember that no element was written: reading one is a fault.

    What the host writes later is seen, because it differs from the pattern. Only for elements of at
    least 4 bytes (in smaller ones the pattern could not be told from data); others are left alone.
    """
    if array.itemsize < 4 or array.size == 0:
        return
    array.reshape(-1).view(np.uint32)[...] = PATTERN
    owner, start = owner_of(array)
    words = np.ones(-(-owner.nbytes // 4), bool)
    words[start // 4 : (start + array.nbytes) // 4] = False
    key = id(owner)
    _unwritten[key] = weakref.ref(owner, lambda _: _unwritten.pop(key, None)), words


def owner_of(array):
    """(the ndarray that owns the memory of a view, where in it the view starts, in bytes)."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner, pointer(array) - pointer(owner)


def pointer(array):
    return array.__array_interface__["data"][0]


def grain(dtype):
    """Bytes that the sanitizer tells apart: the element, at most 4."""
    return min(4, np.dtype(dtype).itemsize)


class Array:
    """Global memory of one owner. data: its bytes, a flat uint8 view; parts: the arguments in
    it.
    """

    def __init__(self, base, owner):
        flat = owner.reshape(-1, order="A") if owner.size else np.zeros(0, np.uint8)
        if owner.size and not np.may_share_memory(flat, owner):
            raise EmulatorError(
                f"an array of shape {owner.shape} and strides {owner.strides} has holes in "
                "memory; pass a contiguous copy"
            )
        self.base, self.data, self.parts, self.views = base, flat.view(np.uint8), [], {}
        self.grain = grain(owner.dtype)
        self.written = self.watched(owner)
        self.shadow = None  # of the sanitizer

    def watched(self, owner):
        """None, or which 4-byte words were written, if the owner was marked."""
        mark = _unwritten.get(id(owner))
        if mark is None or mark[0]() is not owner:
            return None
        words = mark[1]
        whole = len(self.data) // 4
        words[:whole] |= self.data[: 4 * whole].view(np.uint32) != PATTERN
        if words.all():
            del _unwritten[id(owner)]
            return None
        return words

    @property
    def bytes(self):
        return len(self.data)

    def view(self, dtype):
        """The bytes as a flat array of dtype; a rest that is too short is left out."""
        if dtype not in self.views:
            size = np.dtype(dtype).itemsize
            self.views[dtype] = self.data[: len(self.data) // size * size].view(dtype)
        return self.views[dtype]

    def describe(self, address):
        """(name, index, elements, dtype) of the argument that an address belongs to."""
        offset = address - self.base
        start, name, array = max(
            (p for p in self.parts if p[0] <= offset), key=lambda p: p[0], default=self.parts[0]
        )
        return name, (offset - start) // array.itemsize, array.size, array.dtype


class Memory:
    """The arrays of a program and of a launch, by address."""

    def __init__(self):
        self.slots, self.known = {}, {}

    def add(self, name, array):
        """The address of an array. Views of one owner lie in it as they do in the host's memory."""
        owner, start = owner_of(array)
        if id(owner) not in self.known:
            number = len(self.slots) + 1
            self.slots[number] = Array(number << SLOT, owner)
            self.known[id(owner)] = number
        place = self.slots[self.known[id(owner)]]
        place.parts.append((start, name, array))
        return place.base + start

    def at(self, address):
        return self.slots.get(address >> SLOT)


# Vectors ---------------------------------------------------------------------------------------
def split(value, dtype, count):
    """The count elements of each lane of an array of wide words."""
    if count == 1:
        return value.view(dtype)
    parts = np.atleast_1d(value).view(dtype).reshape(*np.shape(value), count)
    return tuple(parts[..., k].copy() if np.ndim(value) else parts[k] for k in range(count))


def join(values, size):
    """The opposite: one wide word a lane."""
    if len(values) == 1:
        return values[0].view(WIDE[size])
    shape = np.broadcast_shapes(*(v.shape for v in values))
    parts = np.empty((*shape, len(values)), values[0].dtype)
    for k, value in enumerate(values):
        parts[..., k] = value
    return parts.view(WIDE[size])[..., 0]


# Global ----------------------------------------------------------------------------------------
def first_active(address, mask, group):
    """Addresses with those of inactive lanes replaced by an active lane's; None if none is
    active.
    """
    if mask is None:
        return address
    active = np.flatnonzero(mask)
    if len(active) == 0:
        return None
    if address.ndim == 0:
        return address
    if address.shape == mask.shape:
        return np.where(mask, address, address.reshape(-1)[active[0]])
    address = np.broadcast_to(address, group.shape)
    return np.where(mask, address, address[np.unravel_index(active[0], group.shape)])


def nothing(instruction):
    """What a load gives when no lane is active."""
    zero = instruction.dtype(0)
    return zero if instruction.count == 1 else (zero,) * instruction.count


def offsets(state, group, mask, instruction, address):
    """(Array, byte offsets in it) if all lanes are inside one array and aligned, else None."""
    array = state.memory.at(
        address.item(0) + instruction.offset if address.ndim else int(address) + instruction.offset
    )
    if array is None:
        return None
    offset = address + np.int64(instruction.offset - array.base)
    low = int(np.bitwise_or.reduce(offset, axis=None)) if offset.ndim else int(offset)
    top = int(offset.max()) if offset.ndim else low
    if low < 0 or low & (instruction.bytes - 1) or top + instruction.bytes > array.bytes:
        return None
    return array, offset


def global_load(state, group, mask, instruction, address):
    address = first_active(address, mask, group)
    if address is None:
        return nothing(instruction)
    found = offsets(state, group, mask, instruction, address)
    if found is None:
        return scattered_load(state, group, mask, instruction, address)
    array, offset = found
    if state.tally:
        count_load(state, group, mask, instruction, address)
    if state.checker:
        state.checker.global_read(state, group, mask, instruction, array, offset)
    return split(
        array.view(instruction.wide).take(offset >> instruction.shift),
        instruction.dtype,
        instruction.count,
    )


def count_load(state, group, mask, instruction, address):
    """Constant memory has a cache of its own, and requests that count apart."""
    if instruction.space == "const":
        state.tally.constants(state, group, mask, instruction, address)
    else:
        state.tally.globals(state, group, mask, instruction, address, "ld")


def global_store(state, group, mask, instruction, address, *values):
    value = join(values, instruction.bytes)
    if mask is not None and not mask.any():
        return
    if state.tally:
        state.tally.globals(state, group, mask, instruction, address, "st")
    if mask is not None:
        address, value = group.compress(address, mask), group.compress(value, mask)
    found = offsets(state, group, mask, instruction, address)
    if found is None:
        scattered_store(state, group, mask, instruction, address, value)
        return
    array, offset = found
    if state.checker:
        state.checker.global_write(state, group, mask, instruction, array, offset, value)
    state.changes += 1
    put(array.view(instruction.wide), offset >> instruction.shift, value)


def put(table, index, value):
    """table[index] = value, the last lane winning where lanes agree on an address."""
    if index.ndim == 0:
        table[index] = value if value.ndim == 0 else value.reshape(-1)[-1]
    elif value.ndim and value.shape != index.shape:
        index, value = np.broadcast_arrays(index, value)
        table[index] = value
    else:
        table[index] = value


def pieces(state, group, mask, instruction, address):
    """Lanes in several arrays: check every lane, then give (Array, positions, offsets) for each."""
    address = np.atleast_1d(address)
    if address.ndim == 2 and address.shape != group.shape:
        address = np.broadcast_to(address, group.shape)
    flat = address.reshape(-1) + instruction.offset
    for number in np.unique(flat >> SLOT):
        array = state.memory.slots.get(int(number))
        where = np.flatnonzero(flat >> SLOT == number)
        if array is None:
            state.fault(
                "global out of bounds", group, mask, where, instruction, flat[where[0]], None
            )
        offset = flat[where] - array.base
        bad = where[(offset < 0) | (offset + instruction.bytes > array.bytes)]
        if len(bad):
            state.fault("global out of bounds", group, mask, bad, instruction, flat[bad[0]], array)
        bad = where[offset & (instruction.bytes - 1) != 0]
        if len(bad):
            state.fault("global misaligned", group, mask, bad, instruction, flat[bad[0]], array)
        yield array, where, offset


def scattered_load(state, group, mask, instruction, address):
    parts = list(pieces(state, group, None, instruction, address))
    if state.tally:
        count_load(state, group, mask, instruction, address)
    shape = group.shape if address.ndim else (1,)
    result = np.empty(int(np.prod(shape)), instruction.wide)
    for array, where, offset in parts:
        result[where] = array.view(instruction.wide).take(offset >> instruction.shift)
    return split(
        result.reshape(shape) if address.ndim else result[0], instruction.dtype, instruction.count
    )


def scattered_store(state, group, mask, instruction, address, value):
    parts = list(pieces(state, group, mask, instruction, address))
    value = np.broadcast_to(value, address.shape if mask is not None else group.shape).reshape(-1)
    state.changes += 1
    for array, where, offset in parts:
        array.view(instruction.wide)[offset >> instruction.shift] = value[where]


# Shared ----------------------------------------------------------------------------------------
class Shared:
    """Shared memory of a chunk. size: bytes a block has; the rows are padded to 16 bytes."""

    def __init__(self, blocks, size):
        self.size = size
        self.data = np.zeros((blocks, -(-size // 16) * 16), np.uint8)
        self.views = {}

    def view(self, dtype):
        if dtype not in self.views:
            self.views[dtype] = self.data.view(dtype)
        return self.views[dtype]


def shared_offsets(state, group, mask, instruction, address):
    """Checked byte offsets."""
    offset = address + np.int64(instruction.offset)
    low = int(np.bitwise_or.reduce(offset, axis=None)) if offset.ndim else int(offset)
    top = int(offset.max()) if offset.ndim else low
    if low < 0 or low & (instruction.bytes - 1) or top + instruction.bytes > state.shared.size:
        flat = np.broadcast_to(
            offset, offset.shape if mask is not None and offset.ndim == 1 else group.shape
        ).reshape(-1)
        bad = np.flatnonzero((flat < 0) | (flat + instruction.bytes > state.shared.size))
        kind = "shared out of bounds" if len(bad) else "shared misaligned"
        bad = bad if len(bad) else np.flatnonzero(flat & (instruction.bytes - 1))
        state.fault(
            kind,
            group,
            mask if flat.size != np.prod(group.shape) else None,
            bad,
            instruction,
            flat[bad[0]],
            None,
        )
    return offset


def shared_load(state, group, mask, instruction, address):
    address = first_active(address, mask, group)
    if address is None:
        return nothing(instruction)
    offset = shared_offsets(state, group, mask, instruction, address)
    if state.tally:
        state.tally.shared(state, group, mask, instruction, address, "ld")
    if state.checker:
        state.checker.shared_read(state, group, mask, instruction, offset)
    return split(
        shared_take(state.shared.view(instruction.wide), group, offset >> instruction.shift),
        instruction.dtype,
        instruction.count,
    )


def shared_take(table, group, index):
    """table (blocks, words) at index, each lane in its own block's row."""
    if group.flat is not None:
        return table.reshape(-1).take(group.blocks * table.shape[1] + index)
    if index.ndim == 0:
        return table[group.rows, index][:, None]
    if index.shape[0] == 1:
        return table[group.rows].take(index[0], axis=1)
    if index.shape[1] == 1:
        return table[group.blocks, index[:, 0]][:, None]
    return table.reshape(-1).take(index + (group.blocks * table.shape[1])[:, None])


def shared_store(state, group, mask, instruction, address, *values):
    value = join(values, instruction.bytes)
    if mask is not None and not mask.any():
        return
    if state.tally:
        state.tally.shared(state, group, mask, instruction, address, "st")
    if mask is not None:
        address, value = group.compress(address, mask), group.compress(value, mask)
    offset = shared_offsets(state, group, mask, instruction, address)
    if state.checker:
        state.checker.shared_write(state, group, mask, instruction, offset, value)
    state.changes += 1
    shared_put(state.shared.view(instruction.wide), group, mask, offset >> instruction.shift, value)


def shared_put(table, group, mask, index, value):
    words = table.shape[1]
    if mask is not None:
        table.reshape(-1)[group.ids[mask] // group.lanes.threads * words + index] = value
    elif group.flat is not None:
        table.reshape(-1)[group.blocks * words + index] = value
    elif index.ndim == 0:
        table[group.rows, index] = value if value.ndim == 0 else value[:, -1]
    elif index.shape[0] == 1:
        columns = index[0]
        if len(columns) > 1 and (columns[1:] - columns[:-1] == 1).all():
            columns = slice(int(columns[0]), int(columns[-1]) + 1)
        if isinstance(columns, slice) or isinstance(group.rows, slice):
            table[group.rows, columns] = value
        else:
            table[group.rows[:, None], columns] = value
    else:
        index = index + (group.blocks * words)[:, None]
        put(table.reshape(-1), index, value)


# Local -----------------------------------------------------------------------------------------
class Local:
    """Local memory of a chunk: words of 4 bytes, (words, lanes)."""

    def __init__(self, lanes, size):
        self.size = size
        self.words = np.zeros((-(-size // 4), lanes), np.int32)


def local_offsets(state, group, mask, instruction, address):
    offset = address + np.int64(instruction.offset)
    low = int(np.bitwise_or.reduce(offset, axis=None)) if offset.ndim else int(offset)
    top = int(offset.max()) if offset.ndim else low
    if low < 0 or low & (instruction.bytes - 1) or top + instruction.bytes > state.local.size:
        flat = np.broadcast_to(offset, offset.shape if offset.ndim == 1 else group.shape).reshape(
            -1
        )
        bad = np.flatnonzero((flat < 0) | (flat + instruction.bytes > state.local.size))
        kind = "local out of bounds" if len(bad) else "local misaligned"
        bad = bad if len(bad) else np.flatnonzero(flat & (instruction.bytes - 1))
        state.fault(
            kind,
            group,
            mask if flat.size != np.prod(group.shape) else None,
            bad,
            instruction,
            flat[bad[0]],
            None,
        )
    return offset


def local_load(state, group, mask, instruction, address):
    address = first_active(address, mask, group)
    if address is None:
        return nothing(instruction)
    offset = local_offsets(state, group, mask, instruction, address)
    if state.tally:
        state.tally.locals(group, mask, instruction, "ld")
    if instruction.bytes < 4:
        word = local_word(state, group, None, offset >> 2)
        return (
            (word >> ((offset & 3) * 8).astype(np.int32))
            .astype(WIDE[instruction.bytes])
            .view(instruction.dtype)
        )
    words = [
        local_word(state, group, None, (offset >> 2) + k) for k in range(instruction.bytes // 4)
    ]
    return split(join(words, instruction.bytes), instruction.dtype, instruction.count)


def local_word(state, group, mask, index):
    words = state.local.words
    if index.ndim == 0:
        row = words[int(index)].reshape(group.lanes.blocks, group.lanes.threads)
        return group.read(row).copy() if mask is None else row.reshape(-1)[group.ids[mask]]
    ids = group.ids if mask is None else group.ids[mask]
    return words.reshape(-1).take(index * words.shape[1] + ids)


def local_store(state, group, mask, instruction, address, *values):
    value = join(values, instruction.bytes)
    ids = group.ids
    if mask is not None:
        address, value, ids = group.compress(address, mask), group.compress(value, mask), ids[mask]
        if len(address) == 0:
            return
    offset = local_offsets(state, group, mask, instruction, address)
    if state.tally:
        state.tally.locals(group, mask, instruction, "st")
    state.changes += 1
    if instruction.bytes < 4:
        shift = ((offset & 3) * 8).astype(np.int32)
        keep = ~(np.int32(256**instruction.bytes - 1) << shift)
        old = local_word(state, group, mask, offset >> 2)
        value = (old & keep) | (
            (value.astype(np.int32) & np.int32(256**instruction.bytes - 1)) << shift
        )
        local_put(state.local.words, offset >> 2, ids, value)
        return
    parts = split(value, np.int32, instruction.bytes // 4)
    for k, part in enumerate(parts if isinstance(parts, tuple) else (parts,)):
        local_put(state.local.words, (offset >> 2) + k, ids, part)


def local_put(words, index, ids, value):
    if index.ndim == 0:
        words[int(index)][ids] = value
    else:
        words.reshape(-1)[index * words.shape[1] + ids] = value


# Generic ---------------------------------------------------------------------------------------
def window(address):
    """'shared', 'local' or 'global' for each generic address: 1, 2, 0."""
    return np.right_shift(address, 56)


def by_window(state, group, mask, instruction, address, run):
    """Run run(kind, mask, address) for each window that the lanes' generic addresses are in."""
    address = first_active(address, mask, group) if mask is not None else address
    if address is None:
        return None
    kinds = window(address)
    if kinds.ndim == 0 or (kinds == kinds.reshape(-1)[0]).all():
        kind = int(kinds if kinds.ndim == 0 else kinds.reshape(-1)[0])
        return run(kind, mask, local_address(address, kind))
    result = None
    for kind in np.unique(kinds):
        part = np.broadcast_to(kinds == kind, group.shape)
        part = part if mask is None else part & mask
        if not part.any():
            continue
        value = run(int(kind), part, local_address(address, int(kind)))
        result = value if result is None else merge(part, value, result)
    return result


def local_address(address, kind):
    return address - np.int64((0, SHARED_WINDOW, LOCAL_WINDOW)[kind]) if 0 < kind < 3 else address


def merge(mask, new, old):
    if isinstance(new, tuple):
        return tuple(np.where(mask, n, o) for n, o in zip(new, old))
    return None if new is None else np.where(mask, new, old)


LOADS = {0: global_load, 1: shared_load, 2: local_load}
STORES = {0: global_store, 1: shared_store, 2: local_store}


def generic_load(state, group, mask, instruction, address):
    result = by_window(
        state,
        group,
        mask,
        instruction,
        address,
        lambda kind, m, a: LOADS.get(kind, global_load)(state, group, m, instruction, a),
    )
    return nothing(instruction) if result is None else result


def generic_store(state, group, mask, instruction, address, *values):
    by_window(
        state,
        group,
        mask,
        instruction,
        address,
        lambda kind, m, a: STORES.get(kind, global_store)(state, group, m, instruction, a, *values),
    )

"""Memory of the emulated device.

Global memory is a set of named arrays. Array number n has the addresses from (n + 1) << 40 on, so a
wrong index cannot reach another array, and no address is one of the host's. Shared memory is an
array (blocks, bytes) of the chunk; local memory is (words, lanes), so that a fixed index is one
row. Generic addresses of shared and local memory lie in windows of their own. What an address of
shared memory says of the block it is in: clusters.py.
"""

import weakref

import numpy as np

from .access import WIDE
from .errors import EmulatorError

SLOT = 40  # log2 of the bytes of address space that an array has
SHARED_WINDOW = 1 << 56
LOCAL_WINDOW = 1 << 57
PARAMETER = 16  # log2 of the bytes that a parameter has in their space: addresses fit 32 bits

PATTERN = np.uint32(0xFFC0DEAD)  # what an array that nobody wrote is full of (a NaN, as float32)
WRITTEN = {size: np.ones(size, np.uint8).view(wide)[0] for size, wide in WIDE.items()}
_unwritten = {}  # id of an owner -> (weak reference, 1 for each byte that is written, else 0)


def mark_uninitialised(array: np.ndarray) -> bool:
    """Fill array with a pattern and remember that no element was written: reading one is a fault.

    What the host writes later is seen, because it differs from the pattern. Only for elements of at
    least 4 bytes (in smaller ones the pattern could not be told from data); other arrays are left
    alone, and False is returned.
    """
    if array.itemsize < 4 or array.size == 0:
        return False
    array.reshape(-1).view(np.uint32)[...] = PATTERN
    owner, start = owner_of(array)
    written = np.ones(round_up(owner.nbytes, 16), np.uint8)
    written[start : start + array.nbytes] = 0
    key = id(owner)
    _unwritten[key] = weakref.ref(owner, lambda _: _unwritten.pop(key, None)), written
    return True


def unwritten(array: np.ndarray) -> np.ndarray:
    """Which elements has nobody written since ``mark_uninitialised``? A bool array of its shape.

    All False where the array was not marked.
    """
    owner, start = owner_of(array)
    written = written_bytes(owner)
    if written is None:
        return np.zeros(array.shape, bool)
    lacking = written[start : start + array.nbytes].reshape(-1, array.itemsize) == 0
    return lacking.any(axis=1).reshape(array.shape)


def written_bytes(owner):
    """1 for each byte of an owner that is written, else 0; None if all are or none was marked."""
    mark = _unwritten.get(id(owner))
    if mark is None or mark[0]() is not owner:
        return None
    written, data = mark[1], owner.reshape(-1, order="A").view(np.uint8)
    whole = len(data) // 4
    changed = data[: 4 * whole].view(np.uint32) != PATTERN
    written[: 4 * whole].view(np.uint32)[changed] = WRITTEN[4]
    if written.all():
        del _unwritten[id(owner)]
        return None
    return written


def owner_of(array):
    """(the ndarray that owns the memory of a view, where in it the view starts, in bytes)."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner, pointer(array) - pointer(owner)


def pointer(array):
    return array.__array_interface__["data"][0]


def round_up(size, step):
    """The least multiple of step that is not less than size."""
    return -(-size // step) * step


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
        self.written = written_bytes(owner)
        self.shadow = None  # of the sanitizer

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
        """(name, index, elements, dtype) of the argument that an address belongs to; the index is
        negative before the first.
        """
        offset = address - self.base
        before = [part for part in self.parts if part[0] <= offset]
        start, name, array = (
            max(before, key=lambda part: part[0])
            if before
            else min(self.parts, key=lambda part: part[0])
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
        """The Array whose slot an address is in, or None."""
        return self.slots.get(address >> SLOT)

    def copy(self, slots=None):
        """What is in the arrays of these slots (None: of all), and which of their elements are
        written, for ``restore`` and ``holds``.
        """
        return {
            number: (array.data.copy(), None if array.written is None else array.written.copy())
            for number, array in self.slots.items()
            if slots is None or number in slots
        }

    def holds(self, copy):
        """Are the bytes of all arrays of a copy as they were then?"""
        return all((self.slots[number].data == data).all() for number, (data, _) in copy.items())

    def restore(self, copy):
        """Make all arrays as they were then."""
        for number, (data, written) in copy.items():
            array = self.slots[number]
            array.shadow = None
            if array.data.flags.writeable:
                array.data[:] = data
            if written is not None:
                array.written[:] = written

    def nearest(self, address):
        """The Array that an address outside of all arrays was meant for, or None: the one that
        starts up to half a slot after it, as with a negative index, or less before it.
        """
        return self.slots.get((address + (1 << SLOT - 1)) >> SLOT)


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


def differ(a, b):
    """Where do the bits of two arrays of wide words differ? Words of 16 bytes look like complex
    numbers, among which a NaN differs from itself, and 0 is equal to -0."""
    if a.dtype != WIDE[16]:
        return a != b
    (low, high), (other_low, other_high) = (
        (x.real.view(np.int64), x.imag.view(np.int64)) for x in (a, b)
    )
    return (low != other_low) | (high != other_high)


# What all memories share -------------------------------------------------------------------------
def first_active(address, mask, group):
    """Addresses with those of inactive lanes replaced by an active lane's, so that they cannot fail
    a check; None if no lane is active.
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


def nothing(access):
    """What a load gives when no lane is active."""
    zero = access.dtype(0)
    return zero if access.count == 1 else (zero,) * access.count


def extent(offset):
    """(all offsets OR-ed, the largest of them). The first is negative if any offset is, and its low
    bits are zero if all offsets are multiples of that power of two.
    """
    if offset.ndim == 0:
        return int(offset), int(offset)
    return int(np.bitwise_or.reduce(offset, axis=None)), int(offset.max())


def inside(offset, size, limit):
    """Do accesses of ``size`` bytes, a power of two, lie in [0, limit), and are all aligned?"""
    together, top = extent(offset)
    return together >= 0 and together & (size - 1) == 0 and top + size <= limit


def blame(state, kind, group, mask, bad, instruction, addresses, array):
    """Raise the Finding for the first bad lane. addresses: flat, of all lanes of the group or of
    the active ones alone; bad: positions in it.
    """
    if len(addresses) == np.prod(group.shape):  # inactive lanes repeat an active lane's address
        if mask is not None:
            active = bad[np.broadcast_to(mask, group.shape).reshape(-1)[bad]]
            bad = active if len(active) else bad
        mask = None
    state.fault(kind, group, mask, bad, instruction, addresses[bad[0]], array)


def checked(state, group, mask, instruction, address, space, limit):
    """Byte offsets in shared or local memory, of which a block or thread has ``limit`` bytes."""
    size = instruction.access.bytes
    offset = address + np.int64(instruction.access.offset)
    if not inside(offset, size, limit):
        shape = offset.shape if offset.ndim == 1 else group.shape
        flat = np.broadcast_to(offset, shape).reshape(-1)
        bad, kind = np.flatnonzero((flat < 0) | (flat + size > limit)), "out of bounds"
        if not len(bad):
            bad, kind = np.flatnonzero(flat & (size - 1)), "misaligned"
        blame(state, f"{space} {kind}", group, mask, bad, instruction, flat, None)
    return offset


def assign(state, table, index, value):
    """table[index] = value. Where lanes store to the same place, the last lane wins."""
    if state.on_store is None:
        table[index] = value
        return
    before = table[index].copy()
    table[index] = value
    state.on_store(table, index, before)


# Global ----------------------------------------------------------------------------------------
def offsets(state, instruction, address):
    """(Array, byte offsets in it) if all lanes are inside one array and aligned, else None."""
    access = instruction.access
    first = address.item(0) if address.ndim else int(address)
    array = state.memory.at(first + access.offset)
    if array is None:
        return None
    offset = address + np.int64(access.offset - array.base)
    return (array, offset) if inside(offset, access.bytes, array.bytes) else None


def global_load(state, group, mask, instruction, address):
    """What active lanes read at their addresses (int64); one value, or a tuple for .v2 and .v4."""
    access = instruction.access
    address = first_active(address, mask, group)
    if address is None:
        return nothing(access)
    found = offsets(state, instruction, address)
    if found is None:
        return scattered_load(state, group, mask, instruction, address)
    array, offset = found
    if state.tally:
        count_load(state, group, mask, instruction, address)
    if state.checker:
        state.checker.global_read(group, mask, instruction, array, offset)
    return split(array.view(access.wide).take(offset >> access.shift), access.dtype, access.count)


def count_load(state, group, mask, instruction, address):
    """Count a load of global or constant memory. Constant memory has a cache and counters of its
    own; loads of parameters are not counted.
    """
    if instruction.access.space == "const":
        state.tally.constants(state, group, mask, instruction, address)
    elif instruction.access.space != "param":
        state.tally.globals(state, group, mask, instruction, address, "ld")


def global_store(state, group, mask, instruction, address, *values):
    """Active lanes write their values, one of each for .v2 and .v4, to their addresses (int64)."""
    access = instruction.access
    value = join(values, access.bytes)
    if mask is not None and not mask.any():
        return
    if state.tally:
        state.tally.globals(state, group, mask, instruction, address, "st")
    if mask is not None:
        address, value = group.compress(address, mask), group.compress(value, mask)
    found = offsets(state, instruction, address)
    if found is None:
        scattered_store(state, group, mask, instruction, address, value)
        return
    array, offset = found
    if state.checker:
        state.checker.global_write(group, mask, instruction, array, offset, value)
    put(state, array.view(access.wide), offset >> access.shift, value)


def put(state, table, index, value):
    """assign, where the shapes of index and value need not agree."""
    if index.ndim == 0:
        value = value if value.ndim == 0 else value.reshape(-1)[-1]
    elif value.ndim and value.shape != index.shape:
        index, value = np.broadcast_arrays(index, value)
    assign(state, table, index, value)


def pieces(state, group, mask, instruction, address):
    """Lanes in several arrays: check every lane, then give (Array, positions, offsets) for each."""
    size = instruction.access.bytes
    address = np.atleast_1d(address)
    if address.ndim == 2 and address.shape != group.shape:
        address = np.broadcast_to(address, group.shape)
    flat = address.reshape(-1) + instruction.access.offset
    parts, outside, skewed = [], [], []
    for number in np.unique(flat >> SLOT):
        array = state.memory.slots.get(int(number))
        where = np.flatnonzero(flat >> SLOT == number)
        offset = flat[where] - (int(number) << SLOT)
        limit = array.bytes if array is not None else 0
        outside.append(where[(offset < 0) | (offset + size > limit)])
        skewed.append(where[offset & (size - 1) != 0])
        parts.append((array, where, offset))
    for kind, found in ("out of bounds", outside), ("misaligned", skewed):
        bad = np.sort(np.concatenate(found))
        if len(bad):
            meant = state.memory.nearest(int(flat[bad[0]]))
            blame(state, f"global {kind}", group, mask, bad, instruction, flat, meant)
    return parts


def marks(group, mask, where):
    """The mask of the lanes at positions ``where`` among the active ones."""
    marked = np.zeros(group.shape, bool)
    if mask is not None:
        where = np.flatnonzero(np.broadcast_to(mask, group.shape))[where]
    marked.reshape(-1)[where] = True
    return marked


def scattered_load(state, group, mask, instruction, address):
    """global_load from several arrays, lane by lane."""
    access = instruction.access
    parts = pieces(state, group, mask, instruction, address)
    if state.tally:
        count_load(state, group, mask, instruction, address)
    shape = group.shape if address.ndim else (1,)
    result = np.empty(int(np.prod(shape)), access.wide)
    for array, where, offset in parts:
        if state.checker:
            marked = marks(group, None, where)
            if mask is not None:  # inactive lanes repeat an active lane's address
                marked &= mask
                active = marked.reshape(-1)[where]
                where, offset = where[active], offset[active]
            state.checker.global_read(group, marked, instruction, array, offset)
        result[where] = array.view(access.wide).take(offset >> access.shift)
    result = result.reshape(shape) if address.ndim else result[0]
    return split(result, access.dtype, access.count)


def scattered_store(state, group, mask, instruction, address, value):
    """global_store to several arrays; address and value are of the active lanes alone."""
    access = instruction.access
    parts = pieces(state, group, mask, instruction, address)
    value = np.broadcast_to(value, address.shape if mask is not None else group.shape).reshape(-1)
    for array, where, offset in parts:
        if state.checker:
            marked = marks(group, mask, where)
            state.checker.global_write(group, marked, instruction, array, offset, value[where])
        assign(state, array.view(access.wide), offset >> access.shift, value[where])


# Shared ----------------------------------------------------------------------------------------
class Shared:
    """Shared memory of a chunk. size: bytes a block has; the rows are padded to 16 bytes."""

    def __init__(self, blocks, size):
        self.size = size
        self.data = np.zeros((blocks, round_up(size, 16)), np.uint8)
        self.views = {}

    def view(self, dtype):
        """The bytes as dtype, (blocks, elements)."""
        if dtype not in self.views:
            self.views[dtype] = self.data.view(dtype)
        return self.views[dtype]


def shared_offsets(state, group, mask, instruction, address):
    """Checked byte offsets."""
    return checked(state, group, mask, instruction, address, "shared", state.shared.size)


def shared_load(state, group, mask, instruction, address):
    """global_load, in shared memory."""
    access = instruction.access
    address = first_active(address, mask, group)
    if address is None:
        return nothing(access)
    if state.reach is not None:
        own = state.reach.own_offsets(state, group, mask, instruction, address)
        if own is None:
            return state.reach.load(state, group, mask, instruction, address)
        address = own
    offset = shared_offsets(state, group, mask, instruction, address)
    if state.tally:
        state.tally.shared(state, group, mask, instruction, address, "ld")
    if state.checker:
        state.checker.shared_read(group, mask, instruction, offset)
    words = shared_take(state.shared.view(access.wide), group, offset >> access.shift)
    return split(words, access.dtype, access.count)


def shared_take(table, group, index):
    """table (blocks, words) at index, each lane in its own block's row; always a copy."""
    if group.flat is not None:
        return table.reshape(-1).take(group.blocks * table.shape[1] + index)
    if index.ndim == 0:
        return table[group.rows, index][:, None].copy()
    if index.shape[0] == 1:
        return table[group.rows].take(index[0], axis=1)
    if index.shape[1] == 1:
        return table[group.blocks, index[:, 0]][:, None]
    return table.reshape(-1).take(index + (group.blocks * table.shape[1])[:, None])


def shared_store(state, group, mask, instruction, address, *values):
    """global_store, in shared memory."""
    value = join(values, instruction.access.bytes)
    if mask is not None and not mask.any():
        return
    if state.reach is not None:
        own = state.reach.own_offsets(state, group, mask, instruction, address)
        if own is None:
            state.reach.store(state, group, mask, instruction, address, value)
            return
        address = own
    own_store(state, group, mask, instruction, address, value)


def own_store(state, group, mask, instruction, address, value):
    """shared_store to offsets in each lane's own block; value: one wide word a lane."""
    access, every = instruction.access, address
    if mask is not None and not mask.any():
        return
    if mask is not None:
        address, value = group.compress(address, mask), group.compress(value, mask)
    if state.tally:
        state.tally.shared(state, group, mask, instruction, every, "st")
    offset = shared_offsets(state, group, mask, instruction, address)
    if state.checker:
        state.checker.shared_write(group, mask, instruction, offset, value)
    shared_put(state, group, mask, state.shared.view(access.wide), offset >> access.shift, value)


def shared_put(state, group, mask, table, index, value):
    """The store of shared_take: table (blocks, words) at index, in each lane's own row."""
    words = table.shape[1]
    if mask is not None:
        block = group.ids[mask] // group.lanes.threads
        assign(state, table.reshape(-1), block * words + index, value)
    elif group.flat is not None:
        assign(state, table.reshape(-1), group.blocks * words + index, value)
    elif index.ndim == 0:
        assign(state, table, (group.rows, index), value if value.ndim == 0 else value[:, -1])
    elif index.shape[0] == 1:
        columns = index[0]
        if len(columns) > 1 and (columns[1:] - columns[:-1] == 1).all():
            columns = slice(int(columns[0]), int(columns[-1]) + 1)
        sliced = isinstance(columns, slice) or isinstance(group.rows, slice)
        rows = group.rows if sliced else group.rows[:, None]
        assign(state, table, (rows, columns), value)
    else:
        index = index + (group.blocks * words)[:, None]
        put(state, table.reshape(-1), index, value)


# Local -----------------------------------------------------------------------------------------
class Local:
    """Local memory of a chunk: words of 4 bytes, (words, lanes)."""

    def __init__(self, lanes, size):
        self.size = size
        self.words = np.zeros((round_up(size, 4) // 4, lanes), np.int32)


def local_offsets(state, group, mask, instruction, address):
    """Checked byte offsets."""
    return checked(state, group, mask, instruction, address, "local", state.local.size)


def local_load(state, group, mask, instruction, address):
    """global_load, in each lane's own memory: addresses are offsets."""
    access = instruction.access
    address = first_active(address, mask, group)
    if address is None:
        return nothing(access)
    offset = local_offsets(state, group, mask, instruction, address)
    if state.tally:
        state.tally.locals(group, mask, instruction, "ld")
    if access.bytes < 4:
        word = local_word(state, group, None, offset >> 2)
        return split((word >> bit_of(offset)).astype(access.wide), access.dtype, access.count)
    words = [local_word(state, group, None, (offset >> 2) + k) for k in range(access.bytes // 4)]
    return split(join(words, access.bytes), access.dtype, access.count)


def bit_of(offset):
    """The bit of its word at which the byte at a local offset starts."""
    return ((offset & 3) * 8).astype(np.int32)


def local_word(state, group, mask, index):
    """Words (int32) at the word numbers ``index``, each lane in its own column."""
    words = state.local.words
    if index.ndim == 0:
        row = words[int(index)].reshape(group.lanes.blocks, group.lanes.threads)
        return group.read(row).copy() if mask is None else row.reshape(-1)[group.ids[mask]]
    ids = group.ids if mask is None else group.ids[mask]
    return words.reshape(-1).take(index * words.shape[1] + ids)


def local_store(state, group, mask, instruction, address, *values):
    """global_store, in each lane's own memory: addresses are offsets."""
    access = instruction.access
    value = join(values, access.bytes)
    ids = group.ids
    if mask is not None:
        address, value, ids = group.compress(address, mask), group.compress(value, mask), ids[mask]
        if len(address) == 0:
            return
    offset = local_offsets(state, group, mask, instruction, address)
    if state.tally:
        state.tally.locals(group, mask, instruction, "st")
    if access.bytes < 4:
        shift, byte_mask = bit_of(offset), np.int32(256**access.bytes - 1)
        kept = local_word(state, group, mask, offset >> 2) & ~(byte_mask << shift)
        value = kept | ((value.astype(np.int32) & byte_mask) << shift)
        local_put(state, offset >> 2, ids, value)
        return
    parts = split(value, np.int32, access.bytes // 4)
    for k, part in enumerate(parts if isinstance(parts, tuple) else (parts,)):
        local_put(state, (offset >> 2) + k, ids, part)


def local_put(state, index, ids, value):
    """Store words at the word numbers ``index`` in the columns of the lanes ``ids``."""
    words = state.local.words
    if index.ndim == 0:
        assign(state, words[int(index)], ids, value)
    else:
        assign(state, words.reshape(-1), index * words.shape[1] + ids, value)


# Generic ---------------------------------------------------------------------------------------
def window(address):
    """The memory that each generic address is in: 0 global, 1 shared, 2 local."""
    return np.right_shift(address, 56)


def by_window(group, mask, address, run):
    """Run run(kind, mask, address) for each window that the lanes' generic addresses are in."""
    address = first_active(address, mask, group)
    if address is None:
        return None
    kinds = window(address)
    first = int(kinds.reshape(-1)[0])
    if (kinds == first).all():
        return run(first, mask, local_address(address, first))
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
    """Generic addresses of window ``kind`` as offsets in that memory."""
    return address - np.int64((0, SHARED_WINDOW, LOCAL_WINDOW)[kind]) if 0 < kind < 3 else address


def merge(mask, new, old):
    """new where mask, else old; values, tuples of values, or None from a store."""
    if isinstance(new, tuple):
        return tuple(np.where(mask, n, o) for n, o in zip(new, old, strict=True))
    return None if new is None else np.where(mask, new, old)


def of_parameter(state, address):
    """Addresses in the space of parameters as generic addresses (int64): each parameter that has an
    address is an array of the program.
    """
    slot = state.program.first_parameter + (address >> np.int64(PARAMETER))
    return (slot << np.int64(SLOT)) + (address & np.int64((1 << PARAMETER) - 1))


LOADS = {0: global_load, 1: shared_load, 2: local_load}
STORES = {0: global_store, 1: shared_store, 2: local_store}


def generic_load(state, group, mask, instruction, address):
    """global_load, each lane in the memory that its generic address is in."""

    def run(kind, part, where):
        return LOADS.get(kind, global_load)(state, group, part, instruction, where)

    result = by_window(group, mask, address, run)
    return nothing(instruction.access) if result is None else result


def parameter_load(state, group, mask, instruction, address):
    """global_load, of parameters."""
    return global_load(state, group, mask, instruction, of_parameter(state, address))


def generic_store(state, group, mask, instruction, address, *values):
    """global_store, each lane in the memory that its generic address is in."""

    def run(kind, part, where):
        STORES.get(kind, global_store)(state, group, part, instruction, where, *values)

    by_window(group, mask, address, run)

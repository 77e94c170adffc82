"""Clusters: blocks that run together and reach one another's shared memory.

The blocks of a chunk are in the order of their clusters, so those of a cluster are neighbours:
block ``row`` of the chunk is the one of rank ``row % size`` in cluster ``row // size``.

The address of a byte of shared memory is (rank << 24) + its offset in the block of that rank, as on
an H100 or H200. Machine code for sm_90 computes a variable's address from SR_CgaCtaId << 24 and the
variable's offset; mapa replaces the bits from 24 up by a rank, and getctarank reads them. On an
H200 these bits also reached a wgmma descriptor whose address was not masked. Without a cluster the
rank is 0.

Not known: what an instruction of .shared::cta (which .shared alone means) does with an address
whose upper bits are those of another block. PTX leaves it undefined; here it is a fault. Known to
differ: a GPU's offsets begin at 1024, after the part that CUDA keeps for itself; here they begin at
0.

The rest of the emulator works with offsets in each lane's own block, which ``own_offsets`` returns.
Where some lane uses another block's memory, ``load`` and ``store`` do the access.
"""

import numpy as np

from . import memory
from .errors import EmulatorError
from .lanes import unflatten

RANK = 24  # log2 of the bytes of addresses that a block's shared memory has
HALF = 1 << RANK - 1  # of them are before its start: an index that is negative is the own block's
PORTABLE, MOST = 8, 16  # blocks of a cluster: on any GPU that has clusters, and at most


def check(program, grid, given):
    """The shape of a launch's clusters, (1, 1, 1) without. given: what the launch asks for, or
    None.
    """
    declared, wanted = program.function.cluster, given and (*given, 1, 1)[:3]
    if wanted and declared and wanted != declared:
        raise EmulatorError(
            f"{program.name} has __cluster_dims__ {declared}, and the launch asks for {wanted}"
        )
    shape = tuple(int(n) for n in (wanted or declared or (1, 1, 1)))
    size = int(np.prod(shape))
    if size > MOST:
        raise EmulatorError(f"a cluster of {size} blocks: an H100 allows {MOST} at most")
    if size > PORTABLE and not wanted:
        raise EmulatorError(
            f"{program.name} has clusters of {size} blocks: more than {PORTABLE} need a launch "
            "that asks for them (the attributes cluster dimension and non-portable cluster size)"
        )
    for axis, blocks, step in zip("xyz", grid, shape, strict=True):
        if blocks % step:
            raise EmulatorError(
                f"grid {grid}: the clusters of {program.name} have {step} blocks along {axis}, and "
                f"{blocks} is not a multiple of it"
            )
    return shape


def in_order(grid, shape):
    """The numbers of a grid's blocks, those of a cluster together by rank, (blocks,)."""
    x, y, z = (np.arange(n) for n in grid)
    number = (z[:, None, None] * grid[1] + y[:, None]) * grid[0] + x
    parts = [
        n
        for blocks, step in zip(grid[::-1], shape[::-1], strict=True)
        for n in (blocks // step, step)
    ]
    return number.reshape(parts).transpose(0, 2, 4, 1, 3, 5).reshape(-1)


def specials(numbers, grid, shape):
    """{name: value} of the registers that tell where in its cluster a block is; see ops/special."""
    number, values = np.asarray(numbers, np.int64)[:, None], {}
    rank = np.zeros_like(number)
    for k, axis in enumerate("xyz"):
        before = int(np.prod(grid[:k], dtype=np.int64))
        place = number // before % grid[k]
        values[f"%clusterid.{axis}"] = place // shape[k]
        values[f"%nclusterid.{axis}"] = np.int32(grid[k] // shape[k])
        values[f"%cluster_ctaid.{axis}"] = place % shape[k]
        values[f"%cluster_nctaid.{axis}"] = np.int32(shape[k])
        rank = rank + place % shape[k] * int(np.prod(shape[:k]))
    values["%cluster_ctarank"] = rank
    values["%cluster_nctarank"] = np.int32(np.prod(shape))
    return {
        name: value if value.ndim == 0 else small(value.astype(np.int32))
        for name, value in values.items()
    }


def small(a):
    """A scalar where all blocks agree."""
    return a.reshape(-1)[0] if (a == a.reshape(-1)[0]).all() else a


# Shared memory of another block ------------------------------------------------------------------
def windows(blocks, size):
    """Where the shared memory of each block of a chunk starts, (B, 1)."""
    return (np.arange(blocks, dtype=np.int64)[:, None] % size) << RANK


def rank_and_offset(address):
    """(the rank of the block that an address is in, the byte offset there), of ints or arrays."""
    rank = (address + HALF) >> RANK
    return rank, address - (rank << RANK)


def own_only(instruction):
    """Does it reach shared memory of the thread's own block alone?"""
    words = instruction.parts
    return "shared_cluster" not in words and ("shared" in words or "shared_cta" in words)


def own_offsets(state, group, mask, instruction, address):
    """Addresses (int64, any shape) as byte offsets in each lane's own block; None if an active lane
    uses another block's memory. A single number is an offset already: that of a variable, by its
    name.
    """
    if address.ndim == 0 and own_only(instruction):
        return address
    offset, further = address - group.read(state.windows), instruction.access.offset
    if outside(offset, further):
        if mask is None:
            return None
        offset = memory.first_active(offset, mask, group)
        if offset is None or outside(offset, further):
            return None
    if offset.ndim == 2 and len(offset) > 1 and (offset == offset[:1]).all():
        return offset[:1]
    return offset


def outside(offset, further):
    """Does one of these offsets, or the offset ``further`` bytes behind it, leave the own block?"""
    return int(offset.min()) + further < -HALF or int(offset.max()) + further >= HALF


def checked_places(state, group, mask, instruction, address, size):
    """(block of the chunk, byte offset there, lane number) of active lanes' addresses, (n,) each,
    after checks. size: bytes of each access.
    """
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    flat = address if address.shape == ids.shape else group.compress(address, mask)
    own, count = ids // state.lanes.threads, state.cluster_size
    rank, offset = rank_and_offset(flat)
    bad = (rank < 0) | (rank >= count) | (own_only(instruction) & (rank != own % count))
    kind, why = "out of bounds", None
    if bad.any():
        k = int(bad.argmax())
        why = elsewhere(state, instruction, int(flat[k]), int(rank[k]), int(own[k]))
    else:
        bad = (offset < 0) | (offset + size > state.shared.size)
    if not bad.any():
        bad, kind = (offset & (size - 1)) != 0, "misaligned"
    if bad.any():
        first = np.flatnonzero(bad)
        at = offset[first[0]]
        state.fault(f"shared {kind}", group, mask, first, instruction, at, None, why)
    return own // count * count + rank, offset, ids


def elsewhere(state, instruction, address, rank, own):
    """The sentence for an address that a thread of the chunk's block ``own`` must not use."""
    count = state.cluster_size
    if not 0 <= rank < count:
        there = f"no block's of its cluster, which has {count}" if count > 1 else "beyond"
        return (
            f"{instruction.access.verb} shared memory at address {address:#x}, which is {there}: "
            "bits 24 and up are the rank of a block"
        )
    return (
        f"{instruction.access.verb} shared memory at address {address:#x}, which is in the block "
        f"of rank {rank}: .shared and .shared::cta reach the thread's own block only, that of rank "
        f"{own % count}"
    )


def own_lanes(state, group, row, offset, ids, access):
    """(addresses in the group's shape, which lanes are active and use their own block's shared
    memory). These lanes are counted as an ordinary access. The profiler counts the others nowhere,
    so the emulator does not either.
    """
    here = row == ids // state.lanes.threads
    places = np.flatnonzero(np.isin(group.ids.reshape(-1), ids[here]))
    address, mask = np.zeros(group.shape, np.int64), np.zeros(group.shape, bool)
    address.reshape(-1)[places] = offset[here] - access.offset
    mask.reshape(-1)[places] = True
    return address, mask


def count(state, group, instruction, row, offset, ids, kind):
    """Count a load ('ld') or a store ('st') of lanes that may ask for another block's memory."""
    address, mask = own_lanes(state, group, row, offset, ids, instruction.access)
    if mask.any():
        state.tally.shared(state, group, mask, instruction, address, kind)


def load(state, group, mask, instruction, address):
    """memory.shared_load from any block of the cluster."""
    access = instruction.access
    address = memory.first_active(address, mask, group)
    if address is None:
        return memory.nothing(access)
    where = address + np.int64(access.offset)
    row, offset, ids = checked_places(state, group, mask, instruction, where, access.bytes)
    if state.tally:
        count(state, group, instruction, row, offset, ids, "ld")
    if state.checker:
        state.checker.distant_read(instruction, row, offset, ids)
    table = state.shared.view(access.wide)
    result = np.zeros(group.shape, access.wide)
    words = blanked(state, row, ids, table[row, offset >> access.shift])
    if mask is None:
        result.reshape(-1)[:] = words
    else:
        result[np.broadcast_to(mask, group.shape)] = words
    return memory.split(result, access.dtype, access.count)


def store(state, group, mask, instruction, address, value):
    """memory.shared_store to any block of the cluster; value: one wide word a lane."""
    access = instruction.access
    where = address + np.int64(access.offset)
    row, offset, ids = checked_places(state, group, mask, instruction, where, access.bytes)
    if state.tally:
        count(state, group, instruction, row, offset, ids, "st")
    if state.checker:
        state.checker.distant_write(instruction, row, offset, ids)
    table = state.shared.view(access.wide)
    value = value if value.shape == row.shape else group.compress(value, mask)
    value = blanked(state, row, ids, value)
    memory.assign(state, table, (row, offset >> access.shift), value)


def blanked(state, row, ids, words):
    """Words that threads read or write in the blocks ``row``; zero those of other blocks than their
    own where the launch perturbs 'distant'.
    """
    if state.launch.perturb != "distant":
        return words
    return np.where(row == ids // state.lanes.threads, words, words.dtype.type(0))


# The barrier of a cluster ------------------------------------------------------------------------
class ClusterBarrier:
    """barrier.cluster of a chunk's clusters. scheduler: Scheduler, whose ``put`` lets lanes go on.

    arrived, waited: (B, T), how often each thread did; opened: (clusters,), how many phases are
    complete; gathered, published: {cluster: what those who arrived know}, for the sanitizer
    (vector_clocks.py).
    waits: [(pc, instruction, lane numbers)] of those who wait.
    """

    def __init__(self, scheduler):
        self.scheduler, self.state = scheduler, scheduler.state
        state, self.size = self.state, self.state.cluster_size
        shape = state.lanes.blocks, state.lanes.threads
        self.arrived, self.waited = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self.opened = np.zeros(shape[0] // self.size, np.int32)
        self.gathered, self.published, self.waits = {}, {}, []

    def __bool__(self):
        """Does any lane wait?"""
        return bool(self.waits)

    def come(self, block, group):
        """The lanes of a group come to a barrier.cluster at the end of a block of PTX."""
        last, state = block.last, self.state
        if last.guard is not None:
            raise EmulatorError(
                f"line {last.line}: a barrier under a predicate is not covered ({last.text})"
            )
        ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
        row, thread = np.divmod(ids, state.lanes.threads)
        ahead = self.arrived[row, thread] - self.waited[row, thread]
        wanted = 0 if "arrive" in last.parts else 1
        if (ahead != wanted).any():
            why = (
                "it arrives twice at the barrier of the cluster, with no barrier.cluster.wait "
                "between"
                if ahead.max() > 0
                else "it waits at the barrier of the cluster without having arrived"
            )
            lanes = np.flatnonzero(ahead != wanted)
            kind = "barrier divergence"
            state.fault(kind, group, group.mask, lanes, last, None, None, why)
        if wanted == 0:
            self.arrive(last, row, thread)
            self.scheduler.put(block.index + 1, group)
            return
        self.waits.append((block.index, last, ids))
        self.release()

    def arrive(self, last, row, thread):
        """Threads of blocks ``row`` arrive: the sanitizer gathers what they know."""
        state = self.state
        self.arrived[row, thread] += 1
        if state.checker:
            order = state.checker.order
            relaxed = "relaxed" in last.parts
            for number in np.unique(row).tolist():
                known = order.knowledge(number, thread[row == number], relaxed)
                cluster = number // self.size
                mine = self.gathered.setdefault(cluster, [0 * part for part in known])
                for part, new in zip(mine, known, strict=True):
                    np.maximum(part, new, out=part)
            order.tick()

    def release(self):
        """Open what is complete, and let its lanes go on."""
        if not self.waits:
            return
        state, shape = self.state, self.arrived.shape
        alive = np.broadcast_to(np.True_ if state.alive is None else state.alive, shape)
        here = self.arrived > np.repeat(self.opened, self.size)[:, None]
        complete = (here | ~alive).reshape(len(self.opened), -1).all(axis=1)
        for cluster in np.flatnonzero(complete & here.reshape(len(self.opened), -1).any(axis=1)):
            self.opened[cluster] += 1
            self.published[int(cluster)] = self.gathered.pop(int(cluster), None)
            self.scheduler.barriers.opened += 1
        waits, self.waits = self.waits, []
        for pc, last, ids in waits:
            row, thread = np.divmod(ids, shape[1])
            ready = self.arrived[row, thread] <= self.opened[row // self.size]
            if not ready.all():
                self.waits.append((pc, last, ids[~ready]))
            if ready.any():
                self.go_on(pc, ids[ready])

    def go_on(self, pc, ids):
        """Lanes pass the barrier."""
        state, shape = self.state, self.arrived.shape
        row, thread = np.divmod(ids, shape[1])
        self.waited[row, thread] += 1
        if state.checker:
            for number in np.unique(row).tolist():
                known = self.published.get(number // self.size)
                if known is not None:
                    state.checker.order.learn(number, thread[row == number], known)
        marks = np.zeros(shape, bool)
        marks.reshape(-1)[ids] = True
        self.scheduler.put(pc + 1, state.lanes.select(marks))

    def stuck(self):
        """The Finding for a barrier that some thread of the cluster never reaches."""
        state = self.state
        _, last, ids = self.waits[0]
        cluster = int(ids[0]) // state.lanes.threads // self.size
        rows = slice(cluster * self.size, (cluster + 1) * self.size)
        alive = np.broadcast_to(
            np.True_ if state.alive is None else state.alive, self.arrived.shape
        )[rows]
        absent = np.argwhere(alive & (self.arrived[rows] <= self.opened[cluster]))
        who = ""
        if len(absent):
            rank, other = absent[0].tolist()
            number = int(state.numbers[cluster * self.size + rank])
            who = (
                f": thread {unflatten(other, state.launch.block)} of block "
                f"{unflatten(number, state.launch.grid)} waits elsewhere"
            )
        detail = f"it waits at the barrier of its cluster, which not all threads reach{who}"
        return state.finding("barrier divergence", last, ids[0], detail)

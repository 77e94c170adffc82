"""Uninitialised reads and races. Two watchers do the work: shared_watch.py and global_watch.py.

A write of the value that is there already is not reported: threads that all set a flag do no harm.
"""

from .clocks import Clocks, lanes_of
from .global_watch import GlobalWatch
from .order import Order
from .shared_watch import SharedWatch


class Checker:
    """Watches one launch. Memory and the ops tell it of every access, barriers.py of barriers."""

    def __init__(self, launch):
        order = Clocks(launch.cluster_size) if launch.asynchronous else Order()
        shared, arrays = SharedWatch(launch, order), GlobalWatch(launch, order)
        self.shared_read, self.shared_write = shared.read, shared.write
        self.shared_atomic = shared.atomic
        self.copy_starts, self.copy_lands = shared.copy_starts, shared.copy_lands
        self.product_read, self.products_landed = shared.products.read, shared.products.landed
        self.warp_sync, self.block_sync = order.warp_sync, order.block_sync
        self.global_read, self.global_write = arrays.read, arrays.write
        self.global_atomic, self.fence = arrays.atomic, arrays.fence
        self.order, self.copies, self.shared = order, shared.copies, shared
        self.copy_reads, self.copy_writes = arrays.copy_reads, arrays.copy_writes

    def distant_read(self, state, instruction, rows, offsets, ids):
        """Lanes ``ids`` read at byte offsets of the shared memory of blocks ``rows``, (n,) each."""
        self.shared.read_by(self.touch(state, instruction, rows, offsets, ids))

    def distant_write(self, state, instruction, rows, offsets, ids):
        """As distant_read: they write, or update atomically."""
        self.shared.write_by(self.touch(state, instruction, rows, offsets, ids))

    def touch(self, state, instruction, rows, offsets, ids):
        own, threads = divmod(ids, state.lanes.threads)
        touch = self.shared.touch_at(state, instruction, rows, threads, offsets, own)
        self.copies.visited = self.copies.visited or bool((own != rows).any())
        return touch

    def proxy_fence(self, state, group, mask):
        """Active lanes made a fence.proxy.async."""
        if self.order.precise:
            self.copies.watch.enter(state)
            self.copies.fences_seen(state, *lanes_of(group, mask))
            self.order.proxy_fence(state, group, mask)

    def mbarrier_fence(self, state, group, mask):
        """Active lanes made a fence.mbarrier_init."""
        if self.order.precise:
            self.copies.watch.enter(state)
            self.copies.fences_seen(state, *lanes_of(group, mask))
            self.order.fence_by(state, group, mask)

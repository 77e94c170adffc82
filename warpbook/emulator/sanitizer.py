"""Uninitialised reads and races. Two watchers do the work: shared_watch.py and global_watch.py.

A write of the value that is there already is not reported: threads that all set a flag do no harm.
"""

from .global_watch import GlobalWatch
from .order import Order
from .shared_watch import SharedWatch


class Checker:
    """Watches one launch. Memory and the ops tell it of every access, barriers.py of barriers."""

    def __init__(self, launch):
        order = Order()
        shared, arrays = SharedWatch(launch, order), GlobalWatch(launch, order)
        self.shared_read, self.shared_write = shared.read, shared.write
        self.shared_atomic = shared.atomic
        self.copy_starts, self.copy_lands = shared.copy_starts, shared.copy_lands
        self.warp_sync, self.block_sync = order.warp_sync, order.block_sync
        self.global_read, self.global_write = arrays.read, arrays.write
        self.global_atomic, self.fence = arrays.atomic, arrays.fence

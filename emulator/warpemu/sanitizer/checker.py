"""The sanitizer of one launch: what the rest of the emulator tells of accesses, barriers, fences.

A write of the value that is there already is not reported: threads that all set a flag do no harm.
"""

from .barrier_order import Order
from .bulk_copies import BulkCopies
from .global_accesses import GlobalAccesses
from .shared_accesses import SharedAccesses
from .shared_stamps import SharedStamps
from .vector_clocks import Clocks, lanes_of
from .wgmma_operands import WgmmaOperands


class Checker:
    """Looks at one launch, chunk after chunk.

    order: who knows what whom did. Ordinary accesses to shared memory: shared_read, shared_write,
    shared_atomic, distant_read, distant_write; cp.async: copy_starts, copy_lands; wgmma:
    product_read, products_landed; bulk copies: load_starts, load_lands, store_starts, store_ends,
    copy_between_blocks, uses_mbarrier; global memory: global_read, global_write, global_atomic,
    global_copy_reads, global_copy_writes; meetings: warp_sync, block_sync, fence, proxy_fence,
    mbarrier_fence.
    """

    def __init__(self, launch):
        self.order = Clocks(launch.cluster_size) if launch.asynchronous else Order()
        self.stamps = SharedStamps(launch, self.order)
        self.operands = WgmmaOperands(self.stamps)
        self.copies = copies = BulkCopies(self.stamps, self.operands)
        self.shared = shared = SharedAccesses(self.stamps, self.operands, copies)
        self.arrays = arrays = GlobalAccesses(launch, self.order)
        self.shared_read, self.shared_write = shared.read, shared.write
        self.shared_atomic = shared.atomic
        self.copy_starts, self.copy_lands = shared.copy_starts, shared.copy_lands
        self.product_read, self.products_landed = self.operands.read, self.operands.landed
        self.load_starts, self.load_lands = copies.load_starts, copies.load_lands
        self.store_starts, self.store_ends = copies.store_starts, copies.store_ends
        self.copy_between_blocks = copies.copy_between_blocks
        self.uses_mbarrier = copies.uses_mbarrier
        self.warp_sync, self.block_sync = self.order.warp_sync, self.order.block_sync
        self.global_read, self.global_write = arrays.read, arrays.write
        self.global_atomic, self.fence = arrays.atomic, arrays.fence
        self.global_copy_reads = arrays.copy_reads
        self.global_copy_writes = arrays.copy_writes

    def chunk_starts(self, state):
        """A new chunk has barriers and shared memory of its own."""
        self.order.enter(state)
        self.stamps.enter(state)
        self.operands.enter()
        self.copies.enter()
        self.shared.enter()
        self.arrays.enter(state)

    def chunk_ends(self):
        """All threads of the chunk have exited."""
        self.copies.chunk_ends()

    def distant_read(self, instruction, rows, offsets, ids):
        """Lanes ``ids`` read at byte offsets of the shared memory of blocks ``rows``, (n,) each."""
        self.shared.read_by(self.copies.distant_access(instruction, rows, offsets, ids))

    def distant_write(self, instruction, rows, offsets, ids):
        """As distant_read: they write, or update atomically."""
        self.shared.write_by(self.copies.distant_access(instruction, rows, offsets, ids))

    def proxy_fence(self, group, mask):
        """Active lanes made a fence.proxy.async."""
        if self.order.precise:
            self.copies.fences_seen(*lanes_of(group, mask))
            self.order.proxy_fence(group, mask)

    def mbarrier_fence(self, group, mask):
        """Active lanes made a fence.mbarrier_init."""
        if self.order.precise:
            self.copies.fences_seen(*lanes_of(group, mask))
            self.order.fence_by(group, mask)

"""The sanitizer: uninitialised reads, races, and copies and products that nobody waited for.

checker.py          what the rest of the emulator tells of each access, barrier and fence
barrier_order.py    which accesses barriers put in an order
vector_clocks.py    the same where single threads let others go on, as at an mbarrier
shared_accesses.py  shared memory: ordinary accesses, and cp.async
bulk_copies.py      shared memory: bulk copies, mbarriers, other blocks of a cluster
wgmma_operands.py   shared memory: what tensor cores read
wgmma_registers.py  registers that a tensor core may still use
global_accesses.py  global memory
"""

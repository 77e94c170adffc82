"""PTX on NumPy: run a CUDA kernel with no GPU, count what its warps ask of memory, refuse faults.

    program = emulator.compile(ptx, "saxpy", source_name="saxpy.cu", source_text=text)
    report = program.launch((4,), (256,), [x, y, np.float32(2), np.int32(1000)], trace=True)
    report.global_ld_sectors             # for the launch
    report.lines[12].global_ld_sectors   # for line 12 of the .cu

Arguments of a launch, in the order of the kernel's parameters:

- a NumPy array: a pointer to its first element; the kernel writes into it in place. Views lie in
  their owner as they do in memory, so ``a[1:]`` is misaligned by one element and overlaps ``a``;
  the bounds are the owner's, which starts at a multiple of 512 bytes;
- a NumPy scalar (``np.int32(5)``, ``np.float32(0.5)``), or a structured scalar (``np.void``) or
  ``bytes`` for a struct passed by value, such as a tensor map of tensor_map.py. The bytes are cut
  or padded to the parameter's size, as a launch on a GPU does: types are the caller's to check.

``mark_uninitialised(array)`` makes reading an element that nobody has written a fault.

``grid`` and ``block`` are tuples of one to three integers. ``shared_bytes`` is the dynamic shared
memory. ``trace=True`` counts (the report is all zeros without it). ``sanitize=True`` looks for
uninitialised reads, races, asynchronous copies that nobody waited for, and barriers that only some
threads of a block reach. Bounds, alignment, barriers that can never open, shuffles and waits that
never end are always checked. ``seconds`` stops a launch that runs longer, with a Finding.
``cluster``: blocks of a cluster, as a tuple, where the kernel has no ``__cluster_dims__``.

``program.parameters`` lists ``(name, type, bytes)``; ``program.shared_bytes`` is static shared
memory; ``program.symbol(name)`` is the bytes of a ``__device__`` or ``__constant__`` variable as a
writable uint8 array, which lives as long as the program.

Errors: ``Finding`` for a fault in the kernel (fields ``kind``, ``line``, ``block``, ``thread``,
``address``, ``array``, ``index``, ``message``, ``counts``), ``EmulatorError`` for everything else:
an opcode that is not covered, arguments that do not fit. ``Finding`` is an ``EmulatorError``.

How it works, file by file, in reading order:

    ptx.py        text -> functions, instructions with their .cu line; calls are inlined
    flow.py       basic blocks, liveness, where lanes meet again, pointer origins, alignment
    lanes.py      groups of lanes: many blocks at once, arrays of shape (blocks, threads)
    codegen.py    each basic block -> one Python function
    access.py     what an instruction touches in memory
    ops/          one opcode family a file; ops/__init__.py says how to add one
    memory.py     arrays with fake addresses, shared and local memory, bounds
    rules.py      sectors, banks, wavefronts of one request
    counters.py   the report, by line
    sanitizer.py  uninitialised reads and races: order.py, shared_watch.py and global_watch.py
    clocks.py     who knows what whom did: the order that mbarriers and clusters make
    copy_watch.py the sanitizer's rules for bulk copies
    accumulators.py, product_watch.py  the sanitizer's rules for wgmma: registers, shared memory
    scheduler.py  which lanes run next, waits that never end
    deciding.py   which registers decide how lanes go on in a loop
    barriers.py   bar, barrier and __syncwarp
    mbarriers.py  mbarriers, and who waits for their phases
    bulk.py       bulk copies on their way
    tensor_map.py the maps that cp.async.bulk.tensor copies by; drafts.py: those that kernels make
    clusters.py   blocks that run together, their barrier, one another's shared memory
    program.py    compile
    launch.py     arguments, chunks of blocks, findings, progress
    streams.py    launches of several streams: what orders them, and what nothing orders
"""

from .counters import Report
from .errors import EmulatorError, Finding
from .memory import mark_uninitialised
from .ops import coverage
from .program import Program, compile

__all__ = [
    "compile",
    "Program",
    "Report",
    "EmulatorError",
    "Finding",
    "mark_uninitialised",
    "coverage",
]

"""PTX on NumPy: run a CUDA kernel with no GPU, count what its warps ask of memory, refuse faults.

    program = warpemu.compile(ptx, "saxpy", source_name="saxpy.cu", source_text=text)
    report = program.launch((4,), (256,), [x, y, np.float32(2), np.int32(1000)], trace=True)
    report.global_ld_sectors             # for the launch
    report.lines[12].global_ld_sectors   # for line 12 of the .cu

Arguments of a launch, in the order of the kernel's parameters:

- a NumPy array: a pointer to its first element; the kernel writes into it in place. Views lie in
  their owner as they do in memory, so ``a[1:]`` is misaligned by one element and overlaps ``a``;
  the bounds are the owner's, which starts at a multiple of 512 bytes;
- a NumPy scalar (``np.int32(5)``, ``np.float32(0.5)``), or a structured scalar (``np.void``) or
  ``bytes`` for a struct passed by value, such as a tensor map of tensor_map.py; Pointers for a
  struct or a table with the addresses of arrays. The bytes are cut
  or padded to the parameter's size, as a launch on a GPU does: types are the caller's to check.

``mark_uninitialised(array)`` makes reading an element that nobody has written a fault;
``unwritten(array)`` says afterwards which elements nobody wrote.

``grid`` and ``block`` are tuples of one to three integers. ``shared_bytes`` is the dynamic shared
memory. ``trace=True`` counts (the report is all zeros without it). ``sanitize=True`` looks for
uninitialised reads, races, asynchronous copies that nobody waited for, and barriers that only some
threads of a block reach. Bounds, alignment, barriers that can never open, shuffles and waits that
never end are always checked. ``seconds`` stops a launch that runs longer, with a Finding.
``cluster``: blocks of a cluster, as a tuple, where the kernel has no ``__cluster_dims__``.
``perturb`` falsifies one way that values take, to see what depends on it: in 'products'
the tensor cores multiply other factors, ``flipped(factors, key)``; in 'distant' what a thread reads
in another block's shared memory, or writes there, is zero; in 'acquired' what an acquiring load
or atomic gives is zero.
``keep_going=True`` raises no Finding: the report's ``findings`` has the first of each kind and
line, and ``stopped`` says whether the time was up.

``program.parameters`` lists ``(name, type, bytes)``, ``program.outputs`` the names of those through
which the kernel may write; ``program.rename(name, parameters)`` sets what messages say;
``program.shared_bytes`` is static shared memory; ``program.symbol(name)`` is the bytes of a
``__device__`` or ``__constant__`` variable as a writable uint8 array, which lives as long as the
program.

Errors: ``Finding`` for a fault in the kernel (its fields are in errors.py), ``EmulatorError`` for
everything else: an opcode that is not covered, arguments that do not fit. ``Finding`` is an
``EmulatorError``.

Also public: ``Progress``, the line on stderr that long launches write; and, as modules, ``nvrtc``
(CUDA C++ to PTX), ``rules`` (sectors, banks, wavefronts), ``counters``, ``streams``,
``tensor_map``, ``store`` (what was compiled before).

How it works, file by file, in reading order:

    ptx.py          PTX text -> functions and instructions with their .cu line; calls are inlined
    flow.py         basic blocks, liveness, where lanes meet again, pointer origins, alignment
    lanes.py        groups of lanes: many blocks at once, arrays of shape (blocks, threads)
    codegen.py      each basic block -> one Python function
    access.py       what an instruction touches in memory
    ops/            one opcode family a file; ops/__init__.py says how to add one
    memory.py       arrays with fake addresses, shared and local memory, bounds
    rules.py        sectors, banks, wavefronts of one request
    merge_accesses.py  neighbouring shared accesses that ptxas makes one count as one
    counters.py     the report, by line
    program.py      compile: all of the above for one kernel
    launch.py       arguments, chunks of blocks, findings
    state.py        what the operations of a chunk of blocks see and change
    scheduler.py    which lanes run next
    standstill.py   lanes that will never get on
    loop_exits.py   which registers decide whether lanes leave a loop
    barriers.py     bar, barrier and __syncwarp
    mbarriers.py    mbarriers, and who waits for their phases
    bulk.py         bulk copies on their way
    warpgroups.py   wgmma: warps that run together, products that are not finished
    clusters.py     blocks that run together, their barrier, one another's shared memory
    tensor_map.py   the maps that cp.async.bulk.tensor copies by
    device_tensor_maps.py  those that kernels make
    sanitizer/      uninitialised reads, races, copies that nobody waited for
    perturbed.py    what a launch falsifies, to see what depends on it
    streams.py      launches of several streams: what orders them, and what nothing orders
    progress.py     a line on stderr that says how much is done
    nvrtc.py        CUDA C++ -> PTX, by NVIDIA's compiler; machine.py: the GPU that is emulated
    store.py        what was compiled before, for machines without a compiler
"""

from . import counters, nvrtc, rules, store, streams, tensor_map
from .counters import Report
from .errors import EmulatorError, Finding
from .memory import mark_uninitialised, unwritten
from .ops import coverage
from .perturbed import flipped
from .pointers import Pointers
from .program import Program, compile
from .progress import Progress

__all__ = [
    "compile",
    "Program",
    "Progress",
    "Report",
    "EmulatorError",
    "Finding",
    "Pointers",
    "mark_uninitialised",
    "unwritten",
    "coverage",
    "flipped",
    "counters",
    "nvrtc",
    "rules",
    "store",
    "streams",
    "tensor_map",
]

"""One launch: arguments in place, chunks of blocks in turn, findings gathered, progress shown."""

import struct
import sys
import time

import numpy as np

from warpbook.profiles import H100, KB

from . import clusters
from .counters import Report, Tally
from .errors import EmulatorError, Finding
from .memory import Memory, round_up
from .sanitizer import Checker
from .scheduler import State

CHUNK = 8192  # lanes that run together: their registers fit a core's L2 cache
CHUNK_SHARED = 1 << 25  # bytes of shared memory that a chunk may have
RESERVED = 1024  # bytes of shared memory that CUDA keeps for itself, if a kernel asks where it is


class Launch:
    """One launch: arguments in place, chunks of blocks in turn, findings gathered.

    program, grid, block: what runs where; threads: a block's; count: blocks of the grid.
    dynamic_bytes, shared_bytes: of shared memory that the launch asked for; in all. reserved: where
    in it CUDA's own part starts, for cooperative groups of several warps, or None.
    memory: Memory; parameters: {name: bytes}; workspace: what %envreg1 and 2 hold.
    tally: Tally or None; checker: Checker or None.
    kept, total: {kind: the first Finding of it}, {kind: how many}.
    cluster, cluster_size: shape of a cluster of blocks, (1, 1, 1) without, and its blocks;
    asynchronous: may single threads let others go on, so that each needs a clock?; maps: {bytes of
    a tensor map: (TensorMap, Array)} of those used so far.
    steps: blocks of PTX that earlier chunks ran; deadline: time.monotonic() to stop at, or None.
    printed: text of printf that is not written yet.
    """

    def __init__(
        self, program, grid, block, args, shared_bytes, trace, sanitize, seconds=None, cluster=None
    ):
        self.program = program
        self.grid, self.block = triple(grid, "grid"), triple(block, "block")
        self.cluster = clusters.check(program, self.grid, cluster)
        self.cluster_size = int(np.prod(self.cluster))
        self.asynchronous = program.asynchronous or self.cluster_size > 1
        self.threads, self.count = int(np.prod(self.block)), int(np.prod(self.grid, dtype=np.int64))
        if self.threads > program.max_threads:
            raise EmulatorError(
                f"block {block} has {self.threads} threads; a block of {program.name} may have "
                f"at most {program.max_threads}"
            )
        self.dynamic_bytes = int(shared_bytes)
        self.shared_bytes = program.shared_bytes + self.dynamic_bytes
        if self.dynamic_bytes:
            self.shared_bytes = round_up(program.shared_bytes, 16) + self.dynamic_bytes
        self.reserved = self.reserve() if program.reserves else None
        self.memory = Memory()
        self.memory.slots.update(program.memory.slots)
        self.memory.known.update(program.memory.known)
        self.kept, self.total, self.steps, self.printed = {}, {}, 0, []
        self.seconds = seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.parameters, self.maps = self.place(args), {}
        self.workspace = self.grid_workspace()
        self.tally = Tally(program) if trace else None
        self.checker = Checker(self) if sanitize else None
        self.numbers = None  # of the blocks in the order in which they run, if not 0, 1, 2 ...
        if self.cluster_size > 1:
            self.numbers = clusters.in_order(self.grid, self.cluster)
            self.cluster_of = np.empty(self.count, np.int64)
            self.cluster_of[self.numbers] = np.arange(self.count) // self.cluster_size

    def place(self, args):
        """{parameter: its bytes}."""
        wanted = self.program.function.parameters
        if len(args) != len(wanted):
            raise EmulatorError(
                f"{self.program.name} takes {len(wanted)} arguments, given {len(args)}: "
                f"({', '.join(self.program.labels)})"
            )
        given = {
            parameter.name: self.bytes_of(value, parameter, label)
            for value, parameter, label in zip(args, wanted, self.program.labels, strict=True)
        }
        for name, data in self.program.parameter_bytes.items():
            data[:] = np.frombuffer(given[name], np.uint8)
        return given

    def reserve(self):
        """Where in shared memory the part starts that CUDA keeps for itself."""
        start = round_up(self.shared_bytes, 16)
        self.shared_bytes = start + RESERVED
        return start

    def grid_workspace(self):
        """Where cooperative groups keep the barrier of the grid: %envreg1 and 2 hold its
        address.
        """
        if not any("%envreg" in instruction.text for instruction in self.program.instructions):
            return ()
        address = self.memory.add("workspace of the grid", np.zeros(64, np.uint8))
        return np.int32(address >> 32), np.uint32(address & 0xFFFFFFFF).view(np.int32)

    def bytes_of(self, value, parameter, label):
        """The parameter's bytes, cut or padded with zeros, as a launch on a GPU does."""
        if isinstance(value, np.ndarray):
            if parameter.bytes > 8:
                raise EmulatorError(
                    f"argument {label}: the parameter is a struct of {parameter.bytes} bytes, "
                    "given an array: pass the struct, such as tensor_map(array, box)"
                )
            if not value.flags.writeable and parameter.name in self.program.written:
                raise EmulatorError(
                    f"argument {label}: the kernel writes into this array, which is read-only"
                )
            raw = struct.pack("<Q", self.memory.add(label, value))
        elif isinstance(value, np.generic):
            raw = value.tobytes()
        elif isinstance(value, (bytes, bytearray)):
            raw = bytes(value)
        else:
            raise EmulatorError(
                f"argument {label}: expected a NumPy array or scalar, given {type(value).__name__}"
            )
        return raw[: parameter.bytes].ljust(parameter.bytes, b"\0")

    def run(self):
        """Run all blocks; the Report. Raises the first Finding."""
        progress = Progress(self.program.name, self.count)
        with np.errstate(all="ignore"):
            for start, stop in self.chunks():
                numbers = np.arange(start, stop)
                state = State(self, numbers if self.numbers is None else self.numbers[numbers])
                try:
                    state.run(progress)
                finally:
                    self.flush()
                    progress.pause()
                self.steps += state.steps
                progress.done = start + len(state.numbers)
        if self.kept:
            raise self.first_finding()
        return self.tally.report() if self.tally else Report()

    def chunks(self):
        """(first block, one past the last) of the blocks that run together, group after group.

        Of blocks that may wait for one another ever more run together: 2, 3, 5, 8 and so on. One
        that waits for a block of a later group never gets on; on a GPU it hangs when the grid is
        larger than what the GPU holds, for a later block may start only when an earlier one ends.
        Blocks that meet at a barrier of the grid run all at once.
        """
        start, most = 0, self.chunk()
        size, following = most, most
        if self.program.waits and self.checker and not self.workspace:
            size, following = 2 * self.cluster_size, 3 * self.cluster_size
        while start < self.count:
            stop = min(self.count, start + min(size, most))
            yield start, stop
            start, size, following = stop, following, size + following

    def chunk(self):
        """The most blocks that run together: few, so that their registers stay in the cache; but
        all that a GPU would have at once if blocks may wait for one another."""
        shared = max(1, self.shared_bytes)
        if self.program.waits:
            sm = H100.sm
            per_sm = min(sm.blocks, sm.threads // self.threads, sm.levels[-1] * KB // shared)
            return self.whole_clusters(H100.sms * max(1, per_sm))
        return self.whole_clusters(min(CHUNK // self.threads, CHUNK_SHARED // shared))

    def whole_clusters(self, blocks):
        """So many blocks, but no part of a cluster: its blocks run together."""
        size = self.cluster_size
        return max(1, blocks // size) * size

    # Output ------------------------------------------------------------------------------------
    def print(self, text):
        self.printed.append(text)

    def flush(self):
        if self.printed:
            sys.stdout.write("".join(self.printed))
            self.printed.clear()

    # Findings ----------------------------------------------------------------------------------
    def finding(self, kind, instruction, block, thread, address, array, detail=None):
        """A Finding with its sentence."""
        element = array.describe(int(address))[:2] if array is not None else (None, None)
        if detail is None:
            detail = bad_access(self, instruction.access, kind, int(address), array)
        name, file = self.program.name, self.program.source_name or "the .cu"
        where = f"{name}, line {instruction.line} of {file}"
        message = f"{where}, block {block}, thread {thread}: {detail} [{kind}]"
        return Finding(
            kind,
            message,
            instruction.line,
            block,
            thread,
            None if address is None else int(address),
            *element,
        )

    def keep(self, finding, count=1):
        """A finding that does not stop the launch: the first of its kind in full, the rest
        counted.
        """
        self.kept.setdefault(finding.kind, finding)
        self.total[finding.kind] = self.total.get(finding.kind, 0) + count

    def found(self):
        return dict(self.total)

    def blamed(self, finding):
        """What to raise where ``finding`` stops the launch and may come of one kept before."""
        if not self.kept:
            return finding
        first = self.first_finding()
        first.counts[finding.kind] = first.counts.get(finding.kind, 0) + 1
        return first

    def first_finding(self):
        finding = next(iter(self.kept.values()))
        finding.counts = self.found()
        return finding


def bad_access(launch, access, kind, address, array):
    """The sentence for a bad access."""
    does = f"{access.verb} {access.bytes} byte{'s' if access.bytes > 1 else ''}"
    space, name = kind.split()[0], None
    if array is not None:
        name, index, elements, dtype = array.describe(address)
    if "misaligned" in kind:
        where = f" (in {name}[{index}], {dtype})" if name else ""
        at = f"{space} address {address:#x}{where}"
        return f"{does} at {at}, which is not a multiple of {access.bytes} bytes"
    if space == "shared":
        dynamic = ""
        if any(size == 0 for _, _, size in launch.program.shared_variables):
            dynamic = f" ({launch.dynamic_bytes} of it from the launch's shared_bytes)"
        return (
            f"{does} at offset {address} of shared memory, of which the block has "
            f"{launch.shared_bytes}{dynamic}"
        )
    if space == "local":
        return (
            f"{does} at offset {address} of its local memory, which has "
            f"{launch.program.local_bytes}: an index into a local array is out of range"
        )
    if array is None:
        return f"{does} at address {address:#x}, where no array is (a null or wild pointer)"
    return f"{does} at {name}[{index}], but {name} has {elements} elements of {dtype}"


def triple(shape, name):
    """A grid's or block's shape as three integers."""
    shape = tuple(int(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    if not 1 <= len(shape) <= 3 or min(shape) < 1:
        raise EmulatorError(f"{name} must be one to three positive integers, given {shape}")
    return shape + (1,) * (3 - len(shape))


class Progress:
    """A line on stderr for launches that take more than a few seconds."""

    def __init__(self, name, total):
        self.name, self.total, self.done = name, total, 0
        self.start = self.last = time.monotonic()
        self.open = False

    def tick(self, steps):
        """Called now and then; writes at most once a second. steps: run so far by these blocks."""
        now = time.monotonic()
        if now - self.start < 3 or now - self.last < 1:
            return
        self.last, self.open = now, True
        left = ""
        if self.done:
            left = f", about {(now - self.start) * (self.total - self.done) / self.done:.0f} s left"
        sys.stderr.write(f"\r{self.name}: {self.done} of {self.total} blocks, step {steps}{left}  ")
        sys.stderr.flush()

    def pause(self):
        """End the line before anything else is written."""
        if self.open:
            sys.stderr.write("\n")
            self.open = False

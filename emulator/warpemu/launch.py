"""One launch: arguments in place, chunks of blocks in turn, findings gathered, progress shown."""

import hashlib
import struct
import sys
import time

import numpy as np

from . import clusters, machine
from .counters import Report, Tally
from .errors import EmulatorError, Finding
from .memory import Memory, round_up
from .ops.shfl import ABSENT
from .perturbed import PERTURBED
from .progress import Progress
from .sanitizer.checker import Checker
from .scheduler import Scheduler

CHUNK = 8192  # lanes that run together: their registers fit a core's L2 cache
CHUNK_SHARED = 1 << 25  # bytes of shared memory that a chunk may have
PRINTS = 256  # calls of printf that are kept before their text is written
UNDEFINED = 0x5EED5EED  # another value that a shuffle from an absent lane might give
RESERVED = 1024  # bytes of shared memory that CUDA keeps for itself, if a kernel asks where it is


class Launch:
    """One launch: arguments in place, chunks of blocks in turn, findings gathered.

    program, grid, block: what runs where; threads: a block's; count: blocks of the grid.
    dynamic_bytes, shared_bytes: of shared memory that the launch asked for; in all. reserved: where
    in it CUDA's own part starts, for cooperative groups of several warps, or None.
    memory: Memory; parameters: {name: bytes}; workspace: what %envreg1 and 2 hold.
    tally: Tally or None; checker: Checker or None.
    findings: {(kind, line): the first Finding there, which counts the rest}, in the order found.
    cluster, cluster_size: shape of a cluster of blocks, (1, 1, 1) without, and its blocks;
    asynchronous: may single threads let others go on, so that each needs a clock?; maps: {bytes of
    a tensor map: (TensorMap, Array)} of those used so far.
    steps: blocks of PTX that earlier chunks ran; deadline: time.monotonic() to stop at, or None.
    late: has the deadline stopped it?; perturb: what is perturbed, or None; key: of which launch of
    many (perturbed.py).
    printed: text of printf that is not written yet; said: hash of all that was; silent: shall none
    be written? gathers: do all blocks meet, so that all of them have to run together? undefined:
    what a shuffle gives that reads from a lane which does not take part.
    """

    def __init__(
        self,
        program,
        grid,
        block,
        args,
        shared_bytes,
        trace,
        sanitize,
        seconds=None,
        cluster=None,
        perturb=None,
        key=0,
    ):
        if perturb not in (None, *PERTURBED):
            raise EmulatorError(f"perturb is {perturb!r}: one of {', '.join(PERTURBED)}, or None")
        self.perturb, self.key = perturb, key
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
        self.findings, self.steps, self.printed, self.late = {}, 0, [], False
        self.seconds = seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.parameters, self.maps = self.bind(args), {}
        self.workspace = self.grid_workspace()
        self.tally = Tally(program) if trace else None
        self.checker = Checker(self) if sanitize else None
        self.gathers = bool(self.workspace)
        self.undefined, self.said, self.silent = 0, hashlib.sha256(), False
        self.numbers = None  # of the blocks in the order in which they run, if not 0, 1, 2 ...
        if self.cluster_size > 1:
            self.numbers = clusters.in_order(self.grid, self.cluster)
            self.cluster_of = np.empty(self.count, np.int64)
            self.cluster_of[self.numbers] = np.arange(self.count) // self.cluster_size

    def bind(self, args):
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
        self.run_blocks()
        if self.findings:
            raise self.first_finding()
        return self.report()

    def run_on(self):
        """Run all blocks, or up to a fault that ends the launch; the Report, with what was
        found.
        """
        stopped = None
        try:
            self.run_blocks()
        except Finding as finding:
            if self.late:
                stopped = finding
            elif finding not in self.findings.values():
                self.keep(finding, finding.counts[finding.kind])
        report = self.report()
        report.findings, report.stopped = list(self.findings.values()), stopped
        return report

    def report(self):
        return self.tally.report() if self.tally else Report()

    def run_blocks(self):
        """Run all blocks. If the first ones turn out to wait for all, at a barrier of the grid that
        the kernel makes by itself, start again with all of them together. A shuffle that read from
        a lane which does not take part is no finding if nothing depends on what it gave.
        """
        again = self.grows() and self.fits() or self.checker and self.program.shuffles
        before = self.memory.copy(self.checker.arrays.slots) if again else None
        try:
            self.run_chunks()
        except Finding:
            if before is None or not self.gathers:
                raise
            self.start_over(before)
            self.run_chunks()
        absent = [key for key in self.findings if key[0] == ABSENT]
        if absent and not self.needs_absent(before):
            for key in absent:
                del self.findings[key]

    def needs_absent(self, before):
        """Does anything that the launch leaves behind depend on what lanes that do not take part
        gave? Run it again with another value. before: the memory as it was.
        """
        after, said = self.memory.copy(self.checker.arrays.slots), self.said.digest()
        findings, tally = self.findings, self.tally
        self.undefined, self.silent = UNDEFINED, True
        try:
            self.start_over(before)
            self.run_chunks()
        except Finding:
            return True
        else:
            return said != self.said.digest() or not self.memory.holds(after)
        finally:
            self.memory.restore(after)
            self.findings, self.tally, self.silent = findings, tally, False

    def start_over(self, before):
        """Make memory and all that was found as it was before the launch."""
        self.memory.restore(before)
        self.findings, self.steps, self.said = {}, 0, hashlib.sha256()
        self.tally = self.tally and Tally(self.program)
        self.checker = Checker(self)

    def run_chunks(self):
        """Run all blocks, chunk after chunk."""
        progress = Progress(self.program.name, self.count, "blocks", after=3, anywhere=True)
        with np.errstate(all="ignore"):
            for start, stop in self.chunks():
                numbers = np.arange(start, stop)
                numbers = numbers if self.numbers is None else self.numbers[numbers]
                chunk = Scheduler(self, numbers)
                try:
                    chunk.run(progress)
                finally:
                    self.flush()
                    progress.end_line()
                self.steps += chunk.state.steps
                progress.done = start + len(numbers)

    def chunks(self):
        """(first block, one past the last) of the blocks that run together, chunk after chunk.

        Where blocks may wait for one another (``grows``), more and more run together: 2, 3, 5, 8
        and so on. A block that waits for one of a later chunk never gets on. On a GPU it hangs if
        the grid is larger than what the GPU holds, for a later block may start only when an earlier
        one ends.
        Blocks that meet at a barrier of the grid run all at once.
        """
        start, most = 0, self.chunk()
        size, following = most, most
        if self.grows():
            size, following = 2 * self.cluster_size, 3 * self.cluster_size
        while start < self.count:
            stop = min(self.count, start + min(size, most))
            yield start, stop
            start, size, following = stop, following, size + following

    def fits(self):
        """Does a GPU hold all blocks at once?"""
        return self.count <= self.chunk()

    def gather(self):
        """The blocks wait for all others: have all run together, and print what they print then."""
        self.gathers = True
        self.printed.clear()

    def grows(self):
        """Do the chunks begin small, to find blocks that wait for later ones?"""
        return self.program.waits and self.checker is not None and not self.gathers

    def chunk(self):
        """The most blocks that run together: few, so that their registers stay in the cache; but as
        many as a GPU holds at once if blocks may wait for one another.
        """
        shared = max(1, self.shared_bytes)
        if self.program.waits:
            by_threads = machine.SM_THREADS // self.threads
            per_sm = min(machine.SM_BLOCKS, by_threads, machine.SM_SHARED_BYTES // shared)
            return self.whole_clusters(machine.SMS * max(1, per_sm))
        return self.whole_clusters(min(CHUNK // self.threads, CHUNK_SHARED // shared))

    def whole_clusters(self, blocks):
        """The number of blocks, rounded down to whole clusters, which run together."""
        size = self.cluster_size
        return max(1, blocks // size) * size

    # Output ------------------------------------------------------------------------------------
    def print(self, text):
        self.printed.append(text)
        if len(self.printed) >= PRINTS:
            self.flush()

    def flush(self):
        """Write what printf has printed so far."""
        if self.printed:
            text = "".join(self.printed)
            self.said.update(text.encode())
            if not self.silent:
                sys.stdout.write(text)
            self.printed.clear()

    # Findings ----------------------------------------------------------------------------------
    def finding(self, kind, instruction, block, thread, address, array, detail=None):
        """A Finding with its sentence."""
        element = array.describe(int(address))[:2] if array is not None else (None, None)
        if detail is None:
            detail = bad_access(self, instruction.access, kind, int(address), array)
        name, file = self.program.name, self.program.source_name or "the .cu"
        where = f"{name}, line {instruction.line} of {file}"
        return Finding(
            kind,
            detail,
            f"{where}, block {block}, thread {thread}",
            instruction.line,
            block,
            thread,
            None if address is None else int(address),
            *element,
        )

    def keep(self, finding, count=1):
        """Keep a Finding that does not stop the launch: the first of its kind and line in full, the
        others as a number.
        """
        first = self.findings.setdefault((finding.kind, finding.line), finding)
        first.times = count if first is finding else first.times + count

    def found(self):
        """{kind: how often} of the findings kept so far."""
        total = {}
        for (kind, _), finding in self.findings.items():
            total[kind] = total.get(kind, 0) + finding.times
        return total

    def blamed(self, finding):
        """The Finding to raise where ``finding`` stops the launch: the first that was kept before,
        if there is one, since it may be the cause.
        """
        if not self.findings:
            return finding
        first = self.first_finding()
        first.counts[finding.kind] = first.counts.get(finding.kind, 0) + 1
        return first

    def first_finding(self):
        """The first Finding that was kept, with how many of each kind there were."""
        finding = next(iter(self.findings.values()))
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

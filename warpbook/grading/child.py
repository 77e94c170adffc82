"""The grader's child process: compile, run, sanitize and count one student's kernel.

It is started, or forked, with the words of ``protocol.words``. Its findings go to the JOURNAL, a
file whose name no kernel sees; what the kernel prints goes to the standard output. STAGE is
'emulator' or 'gpu'. On Linux it ends with the GRADER, the process that started it, however that one
ends; everywhere but on Windows it ends after so many SECONDS of CPU time.
"""

import ctypes
import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from warpbook.grading import intake, protocol, technique
from warpbook.grading.exercises import Out, specification_from
from warpbook.grading.remedies import remedies
from warpbook.launch import source
from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import Kernel, NotRun, emulate, observed
from warpbook.measure.checks import check, poisoned
from warpbook.measure.tracing import Trace
from warpemu import EmulatorError, Finding
from warpemu.nvrtc import CompileError

MEMORY = 4 * 2**30  # bytes of address space, in the emulator
DETAIL = 16 * 1024  # characters that are kept of what is said of a check
LOG = 12 * 1024  # of a compiler's log, which remedies follow
TOLD = (AssertionError, CompileError, EmulatorError, LookupError, TypeError, ValueError)


class Journal:
    """Runs checks one by one and writes down how each went."""

    def __init__(self, file):
        self.file = file

    def judge(self, key, check):
        """Call ``check``; an exception is the failure, a returned string is a remark.

        Returns the exception, or None when the check passed.
        """
        protocol.write(self.file, begin=key)
        try:
            detail, error = check() or "", None
        except MemoryError as lack:
            detail, error = f"It needs more than {MEMORY / 2**30:g} GB of memory.", lack
        except Exception as refusal:
            detail, error = _sentence(refusal), refusal
        sys.stdout.flush()
        protocol.write(self.file, key=key, passed=error is None, detail=detail[:DETAIL])
        return error


def _sentence(error):
    if isinstance(error, Finding):  # its first line is for the table
        return f"{error.kind}, line {error.line}\n{error}"
    return str(error) if isinstance(error, TOLD) else f"{type(error).__name__}: {error}"


def in_emulator(asked, path, seed, journal, topic=None):
    """Judge a file's compilation, its results at each size, the sanitizer's word, its technique."""
    here, numbers = Runs(asked, path, seed, topic), range(len(asked.sizes))
    defines = here.case(asked.sizes[0]).defines
    if journal.judge(protocol.COMPILES, lambda: here.kernel(defines) and ""):
        return
    errors = [journal.judge(protocol.right(n), lambda n=n: here.right(n)) for n in numbers]
    if any(error is None or isinstance(error, (AssertionError, Finding)) for error in errors):
        # that is, if a launch was made at all
        journal.judge(protocol.CLEAN, lambda: _clean(asked, errors))
    if not any(errors):
        for number, one in enumerate(asked.technique):
            journal.judge(protocol.technique(number), lambda one=one: here.judged(one))


def on_gpu(asked, path, seed, journal, topic=None):
    """Judge a file's results on the GPU, and its share of the measured bound.

    A GPU that lacks the kernel's instructions judges nothing: the check passes, and says so.
    """
    runs, sizes, left_out = Runs(asked, path, seed, topic), asked.sizes, []
    sizes += (asked.gpu_size,) if asked.bound_share else ()

    def right():
        try:
            for size in sizes:
                runs.once(size)
        except LeftOut as why:
            left_out.append(why)
            return str(why)

    wrong = journal.judge(protocol.ON_GPU, right)
    if asked.bound_share and not wrong and not left_out:
        journal.judge(protocol.BOUND, runs.fast)


class LeftOut(Exception):
    """This GPU cannot run the kernel; the message says what it needs."""


class Runs:
    """One file's launches, each of them on numbers that the seed and the size decide.

    topic: the folder of the exercise's topic, whose header the file may include.
    """

    def __init__(self, asked, path, seed, topic=None):
        self.asked, self.path, self.seed, self.topic = asked, path, seed, topic
        self.kernels, self.traced = {}, None

    def case(self, size):
        """What is launched at a size, and what it must give."""
        return self.asked.make(size, np.random.default_rng((self.seed, *np.atleast_1d(size))))

    def kernel(self, defines):
        """Compile once for each set of defines, after a look at what the compiler would read."""
        key = json.dumps(defines, sort_keys=True)
        if key not in self.kernels:
            intake.check_includes(self.path)
            try:
                parsed = source.parse(self.path, self.topic)
                self.kernels[key] = Kernel(parsed, self.path.stem, defines)
            except CompileError as error:
                more = "\n".join(remedies(str(error), source.read(self.path)))
                said = str(error)[:LOG], more
                raise CompileError("\n\n".join(filter(None, said))) from None
        return self.kernels[key]

    def once(self, size):
        """Launch once, and compare each output with what is wanted and each input with itself.

        Raises LeftOut where this GPU cannot run the kernel.
        """
        case = self.case(size)
        kernel, arguments = self.kernel(case.defines), [_placed(a) for a in case.args]
        said = kernel(case.grid, case.block, *arguments, shared_bytes=case.shared_bytes)
        if isinstance(said, NotRun):
            raise LeftOut(said.why)
        wanted = iter(case.want if isinstance(case.want, tuple) else (case.want,))
        for number, (place, given) in enumerate(zip(arguments, case.args, strict=True)):
            if isinstance(given, Out):
                try:
                    check(place, next(wanted), rtol=case.rtol, atol=case.atol)
                except AssertionError as error:
                    if not isinstance(case.want, tuple):
                        raise
                    name = kernel.source.parameters[number].name
                    raise AssertionError(f"{name}: {error}") from None
            elif isinstance(given, np.ndarray) and not _same(place, given):
                name = kernel.source.parameters[number].name
                raise AssertionError(f"{name} is an input, and the kernel has changed it.")
        return case, kernel

    def right(self, number):
        """Launch at a size; at the last one with counts."""
        size = self.asked.sizes[number]
        if size is not self.asked.sizes[-1]:
            self.once(size)
            return
        with observed() as reports:
            case, kernel = self.once(size)
        self.traced = Trace(kernel, reports[0]), case.shared_bytes

    def judged(self, criterion):
        """Compare one criterion with the source, or with the counts at the last size."""
        traced, shared_bytes = self.traced
        if isinstance(criterion, technique.Through):
            return criterion.judge(*self.falsified(criterion.what), self.seed)
        if isinstance(criterion, technique.Word):
            whole = technique.compiled(traced.kernel) if criterion.compiled else ""
            return criterion.judge(whole or traced.kernel.source.text)
        try:
            value = technique.value(criterion.counter, traced, shared_bytes)
            return criterion.judge(self.asked.sizes[-1], value)
        except AssertionError as error:
            raise AssertionError(f"{error}\n\n{traced}") from None

    def falsified(self, what):
        """Launch at the last size with one way of values falsified; (Case, its outputs)."""
        case = self.case(self.asked.sizes[-1])
        kernel, places = self.kernel(case.defines), [_placed(a) for a in case.args]
        alone = what == "one block"
        emulate(kernel).launch(
            (1,) if alone else case.grid,
            case.block,
            kernel.convert(places),
            case.shared_bytes,
            sanitize=False,
            keep_going=what == "acquired",  # who waits for what is acquired waits without end
            perturb=None if alone else what,
            key=self.seed,
        )
        given = zip(places, case.args, strict=True)
        return case, [place for place, argument in given if isinstance(argument, Out)]

    def fast(self):
        """Compare the share of the measured bound with the share that is asked."""
        from warpbook.measure.bench import bench

        case = self.case(self.asked.gpu_size)
        kernel, arguments = self.kernel(case.defines), [_placed(a) for a in case.args]
        table = bench(
            bytes=case.bytes,
            flops=case.flops,
            yours=lambda: kernel(case.grid, case.block, *arguments, shared_bytes=case.shared_bytes),
        )
        share = float(table["of_bound"].iloc[0])
        seen = f"{share:.0%} of the bound, {table['ms'].iloc[0]:.3f} ms"
        if not share >= self.asked.bound_share:
            raise AssertionError(f"{seen}; {self.asked.bound_share:.0%} is asked.\n\n{table}")
        return seen


def _placed(argument):
    """An argument's own copy: an Out's place is poisoned, or filled as it says."""
    if isinstance(argument, Out):
        place = poisoned(argument.shape, argument.dtype)
        if argument.fill is not None:
            place[...] = cp.asarray(argument.fill)
        return place
    return cp.array(argument) if isinstance(argument, np.ndarray) else argument


def _same(place, given):
    """Whether an array holds what it held, bit by bit: a NaN is no number but has bits."""
    now = cp.asnumpy(place) if GPU else place
    return np.array_equal(*(np.ascontiguousarray(a).view(np.uint8) for a in (now, given)))


def _clean(asked, errors):
    for size, error in zip(asked.sizes, errors, strict=True):
        if isinstance(error, Finding):
            raise AssertionError(f"found at size {size}: see the check of that size.")


def main(stage, specification, name, path, journal, seconds, seed, sizes, grader):
    """Judge ``path`` and write the journal."""
    die_with(int(grader))
    confine(float(seconds), MEMORY if stage == protocol.EMULATOR else None)
    asked = specification_from(specification, name)
    asked, seed = replace(asked, sizes=protocol.sizes_of(sizes)), int(seed)
    topic = Path(specification).parents[1]
    with open(journal, "w", encoding="utf-8") as file:
        if stage == protocol.EMULATOR:
            in_emulator(asked, Path(path), seed, Journal(file), topic)
        else:
            on_gpu(asked, Path(path), seed, Journal(file), topic)


def die_with(parent):
    """Let this process end when ``parent``, which started it, ends. Only Linux can; see confine."""
    if sys.platform != "linux":
        return
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it was asked
        os.kill(os.getpid(), signal.SIGKILL)


def confine(seconds, memory=None):
    """Limit the CPU time, and the address space where ``memory``, in bytes, is given.

    On a GPU it is not: CUDA reserves far more address space than it uses. Windows has no such
    limits; the grader limits time and output there all the same, for as long as it lives.
    """
    try:
        import resource
    except ImportError:
        return
    seconds = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    main(*sys.argv[1:])

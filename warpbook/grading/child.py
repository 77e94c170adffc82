"""The grader's child process: compile, run, sanitize and count one student's kernel.

    python -m warpbook.grading.child STAGE SPECIFICATION NAME FILE JOURNAL GRADER SECONDS

Its findings go to the JOURNAL, a file whose name no kernel sees; what the kernel prints goes to
the standard output. STAGE is 'emulator' or 'gpu'. On Linux it ends with the GRADER, the process
that started it, however that one ends; everywhere but on Windows it ends after so many SECONDS of
CPU time.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np

from warpbook.emulator import EmulatorError, Finding
from warpbook.grading import intake, protocol
from warpbook.grading.exercises import Out, specification_from
from warpbook.grading.remedies import remedies
from warpbook.launch import source
from warpbook.launch.backend import cp
from warpbook.launch.kernel import load_path
from warpbook.launch.nvrtc import CompileError
from warpbook.measure.checks import check, poisoned

MEMORY = 4 * 2**30  # bytes of address space, in the emulator
DETAIL = 16 * 1024  # characters that are kept of what is said of a check
LOG = 12 * 1024  # of a compiler's log, which remedies follow
SEED = 20260101  # one seed, so that a grade can be repeated
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


def in_emulator(asked, path, journal):
    """Judge a file's compilation, its results at each size, the sanitizer's word, the limits."""
    kernels = {}
    first = _case(asked, asked.sizes[0])
    if journal.judge(protocol.COMPILES, lambda: _kernel(kernels, path, first) and ""):
        return
    errors = {
        size: journal.judge(
            protocol.right(number), lambda size=size: _run(kernels, path, _case(asked, size))
        )
        for number, size in enumerate(asked.sizes)
    }
    if any(
        error is None or isinstance(error, (AssertionError, Finding)) for error in errors.values()
    ):  # that is, if a launch was made at all
        journal.judge(protocol.CLEAN, lambda: _clean(errors))
    if not any(errors.values()):
        case = _case(asked, asked.sizes[-1])
        for limit in asked.limits.items():
            journal.judge(
                protocol.limit(limit[0]), lambda limit=limit: _within(kernels, path, case, *limit)
            )


def on_gpu(asked, path, journal):
    """Judge a file's results on the GPU, and its share of the measured bound."""
    kernels, sizes = {}, asked.sizes + ((asked.gpu_size,) if asked.bound_share else ())
    wrong = journal.judge(
        protocol.ON_GPU, lambda: [_run(kernels, path, _case(asked, size)) for size in sizes] and ""
    )
    if asked.bound_share and not wrong:
        case = _case(asked, asked.gpu_size)
        journal.judge(protocol.BOUND, lambda: _fast(kernels, path, case, asked))


def _case(asked, size):
    return asked.make(size, np.random.default_rng((SEED, *np.atleast_1d(size))))


def _kernel(kernels, path, case):
    """Compile once for each set of defines, after a look at what the compiler would read."""
    key = json.dumps(case.defines, sort_keys=True)
    if key not in kernels:
        intake.check_includes(path)
        try:
            kernels[key] = load_path(path, **case.defines)
        except CompileError as error:
            said = str(error)[:LOG], "\n".join(remedies(str(error), source.read(path)))
            raise CompileError("\n\n".join(filter(None, said))) from None
    return kernels[key]


def _arguments(case):
    """Return (the launch's arguments, those of them that are outputs)."""
    arguments = [_placed(argument) for argument in case.args]
    return arguments, [
        a for a, given in zip(arguments, case.args, strict=True) if isinstance(given, Out)
    ]


def _placed(argument):
    if isinstance(argument, Out):
        place = poisoned(argument.shape, argument.dtype)
        if argument.fill is not None:
            place[...] = cp.asarray(argument.fill)
        return place
    return cp.asarray(argument) if isinstance(argument, np.ndarray) else argument


def _run(kernels, path, case):
    """Launch once and compare each output with what is wanted."""
    arguments, outs = _arguments(case)
    kernel = _kernel(kernels, path, case)
    kernel(case.grid, case.block, *arguments, shared_bytes=case.shared_bytes)
    wanted = case.want if isinstance(case.want, tuple) else (case.want,)
    for got, want in zip(outs, wanted, strict=True):
        check(got, want, rtol=case.rtol, atol=case.atol)


def _clean(errors):
    found = [size for size, error in errors.items() if isinstance(error, Finding)]
    if found:
        raise AssertionError(f"found at size {found[0]}: see the check of that size.")


def _within(kernels, path, case, counter, limit):
    """Compare one traced counter with its limit."""
    from warpbook.measure.tracing import trace

    arguments, _ = _arguments(case)
    traced = trace(
        _kernel(kernels, path, case),
        case.grid,
        case.block,
        *arguments,
        shared_bytes=case.shared_bytes,
    )
    value = getattr(traced, counter)
    if not value <= limit:
        raise AssertionError(f"{counter} is {value:g}; it may be {limit:g} at most.\n\n{traced}")
    return f"{value:g}"


def _fast(kernels, path, case, asked):
    """Compare the share of the measured bound with the share that is asked."""
    from warpbook.measure.bench import bench

    kernel, (arguments, _) = _kernel(kernels, path, case), _arguments(case)
    table = bench(
        bytes=case.bytes,
        flops=case.flops,
        yours=lambda: kernel(case.grid, case.block, *arguments, shared_bytes=case.shared_bytes),
    )
    share = float(table["of_bound"].iloc[0])
    seen = f"{share:.0%} of the bound, {table['ms'].iloc[0]:.3f} ms"
    if not share >= asked.bound_share:
        raise AssertionError(f"{seen}; {asked.bound_share:.0%} is asked.\n\n{table}")
    return seen


def main(stage, specification, name, path, journal, grader, seconds):
    """Judge ``path`` and write the journal."""
    die_with(int(grader))
    confine(float(seconds), MEMORY if stage == protocol.EMULATOR else None)
    asked = specification_from(specification, name)
    with open(journal, "w", encoding="utf-8") as file:
        (in_emulator if stage == protocol.EMULATOR else on_gpu)(asked, Path(path), Journal(file))


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

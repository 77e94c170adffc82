"""What is asked of the way a kernel works: counts of its traced launch, words of its source.

A count's bound is a multiple of what the work needs, so that a better solution passes as well:

    most("global_ld_sectors", 1.1, lambda n: n / 8)   # 1.1 times the sectors that hold n floats
    least("shared_ld_requests", 1, lambda rows, cols: rows * cols / 32)
    most("shared_ld_conflicts", 0)                    # where nothing is needed: none at all
    most("ptx cvt.f32.f16", 0)                        # instructions of PTX by how they begin
    forbids("cuda_fp16.h"), requires("float4")        # words, outside comments and strings
    through("distant", lambda case, outputs: ...)     # what a falsified launch has to give
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpbook.launch import declarations, source
from warpbook.launch.wording import number
from warpemu import flipped, nvrtc

# Counters beside those of Trace that add up PTX instructions, by how these begin.
OPCODES = {
    "shuffles": ("shfl.",),
    "cp_async": ("cp.async.ca.", "cp.async.cg."),
    "cp_async_drains": ("cp.async.wait_all", "cp.async.wait_group 0"),
    "bulk_copies": ("cp.async.bulk.tensor.", "cp.async.bulk.shared", "cp.async.bulk.global"),
    "announcements": (
        "mbarrier.arrive.expect_tx",
        "mbarrier.arrive_drop.expect_tx",
        "mbarrier.expect_tx",
    ),
    "ldmatrix": ("ldmatrix.",),
    "mma": ("mma.", "wmma.mma.", "wgmma.mma_async."),
    "fences": ("membar.", "fence."),
    "fmas": ("fma.",),
    "float_ops": (
        "fma.rn.f32",
        "mul.f32",
        "mul.rn.f32",
        "add.f32",
        "add.rn.f32",
        "sub.f32",
        "sub.rn.f32",
        "div.rn.f32",
        "div.full.f32",
    ),
}
# Counters of what the compiler and the launch give to a block or a thread.
RESOURCES = ("shared_bytes", "registers", "local_bytes")
_TOKEN = re.compile(r"\w+|\S")
_INCLUDE = re.compile(r'(#[ \t]*include[ \t]*)"([^"\n]*)"')


@dataclass(frozen=True)
class Count:
    """A counter and its bound: ``times`` what is ``needed``; the bound itself without ``needed``.

    needed: a function of the size, whose numbers it takes one by one. low: whether the bound is the
    least, not the most. why: a sentence for whoever misses it.
    """

    counter: str
    times: float
    needed: Callable | None
    low: bool
    why: str

    def bound(self, size: Any) -> float:
        """Return the bound at a size."""
        return self.times * (self.needed(*np.atleast_1d(size).tolist()) if self.needed else 1)

    def title(self, size: Any) -> str:
        """Name the check at a size: 'global_ld_sectors at most 563'."""
        return f"{self.counter} {self._side} {_shown(self.bound(size))}"

    def judge(self, size: Any, value: float) -> str:
        """Return what was seen; AssertionError for a value beyond the bound."""
        bound = self.bound(size)
        seen = _shown(value)
        if self.needed and bound and (self.low or value * self.times > bound):
            ratio, digits = value * self.times / bound, 3
            while f"{ratio:.{digits}g}" == f"{self.times:.{digits}g}" and ratio != self.times:
                digits += 1
            seen += f", {ratio:.{digits}g} times what the work needs"
        if not (value >= bound if self.low else value <= bound):
            raise AssertionError(
                f"{self.counter} is {seen}; {self._asked} is asked.{_also(self.why)}"
            )
        return seen

    @property
    def _asked(self):
        if self.needed and self.times == 1:
            return f"no {'less' if self.low else 'more'} than it needs"
        return f"{self._side} {_shown(self.times)}{' times' if self.needed else ''}"

    @property
    def _side(self):
        return "at least" if self.low else "at most"


@dataclass(frozen=True)
class Word:
    """A word that the source, or the compiled PTX, must have, or where not ``wanted`` not have."""

    word: str
    wanted: bool
    compiled: bool
    why: str

    def title(self, size: Any) -> str:
        """Name the check: 'without cuda_fp16.h'."""
        return f"{'with' if self.wanted else 'without'} {self.word}"

    def judge(self, text: str) -> str:
        """Return ''; AssertionError, with the line, for a text that lacks or has the word."""
        plain = source.without_comments(text)
        text = re.sub(r"[ \t]+", " ", plain) if self.compiled else code(text)
        found = re.search(rf"(?<!\w){re.escape(self.word)}(?!\w)", text)
        if bool(found) == self.wanted:
            return ""
        if self.compiled:
            said = f"The compiled kernel {'has' if found else 'lacks'} {self.word}."
        elif found:
            line = text.count("\n", 0, found.start()) + 1
            said = f"Line {line} has {self.word}: do without it."
        else:
            said = f"{self.word} stands nowhere in the source, outside comments and strings."
        raise AssertionError(said + _also(self.why))


@dataclass(frozen=True)
class Through:
    """Whether results came by the way that is asked: they follow when the emulator falsifies it.

    what: 'products', 'distant', 'acquired' (see warpemu's ``perturb``), or 'one block', a launch of
    the first block alone. follows: a function of the Case and of the list of outputs of that
    launch; for 'products' also of the function that gives the factors that were multiplied.
    """

    what: str
    follows: Callable
    why: str

    def title(self, size: Any) -> str:
        """Name the check: 'results come from the tensor cores'."""
        return WAYS[self.what]

    def judge(self, case: Any, outputs: list, seed: int) -> str:
        """Return ''; AssertionError where the outputs do not follow. seed: the launch's."""
        factors = (lambda values: flipped(values, seed),) if self.what == "products" else ()
        if not self.follows(case, outputs, *factors):
            raise AssertionError(f"{FALSIFIED[self.what]}{_also(self.why)}")
        return ""


WAYS = {
    "products": "results come from the tensor cores",
    "distant": "results come through the cluster",
    "acquired": "results wait for what is acquired",
    "one block": "the last block finishes",
}
FALSIFIED = {
    "products": "With the signs of some factors turned, inside the tensor cores alone, the results "
    "are not what they should be then: something else works them out.",
    "distant": "With zeros in place of what comes from another block's shared memory the results "
    "are not what they should be then: they come another way.",
    "acquired": "With zeros in place of what is acquired the results come all the same: something "
    "else is waited for.",
    "one block": "The first block alone, without the others, gives what it should not have.",
}


def through(what: str, follows: Callable, why: str = "") -> Through:
    """Ask that the outputs of a falsified launch at the last size are as ``follows`` says."""
    return Through(what, follows, why)


def most(counter: str, times: float, needed: Callable | None = None, why: str = "") -> Count:
    """Ask for at most ``times`` what is ``needed(*size)`` of a counter; see ``least``."""
    return Count(counter, times, needed, False, why)


def least(counter: str, times: float, needed: Callable | None = None, why: str = "") -> Count:
    """Ask for at least ``times`` what is ``needed(*size)`` of a counter.

    counter: a field of Trace, such as 'global_ld_sectors'; one of OPCODES or RESOURCES, such as
    'shuffles' or 'registers'; 'loads_ahead'; or 'ptx ' and how a PTX instruction begins. needed:
    None for a bound that is ``times`` itself. why: a sentence that helps whoever misses it.
    """
    return Count(counter, times, needed, True, why)


def forbids(word: str, why: str = "", compiled: bool = False) -> Word:
    """Ask for source without a word, such as 'cuda_fp16.h'; comments and strings do not count.

    compiled: look at the compiled PTX instead, where inline assembly stands as it was written.
    """
    return Word(word, False, compiled, why)


def requires(word: str, why: str = "", compiled: bool = False) -> Word:
    """Ask for source with a word, such as '__shared__'; see ``forbids``.

    A count is the better witness wherever there is one: a word proves only that it was written.
    """
    return Word(word, True, compiled, why)


def value(counter: str, traced: Any, shared_bytes: int) -> float:
    """Return a counter of a Trace; shared_bytes: the dynamic part that its launch was given."""
    from warpbook.gpu.occupancy import resources  # here: few exercises ask for machine code

    if counter == "shared_bytes":
        return resources(traced.kernel)["shared_size_bytes"] + shared_bytes
    if counter in RESOURCES:
        names = {"registers": "num_regs", "local_bytes": "local_size_bytes"}
        return resources(traced.kernel)[names[counter]]
    if counter == "loads_ahead":
        return loads_ahead(compiled(traced.kernel))
    begins = (counter[4:],) if counter.startswith("ptx ") else OPCODES.get(counter)
    if begins:
        return sum(n for opcode, n in traced.opcodes.items() if opcode.startswith(begins))
    return getattr(traced, counter)


def compiled(kernel: Any) -> str:
    """Return a kernel's PTX, as the emulator runs it."""
    return nvrtc.ptx(kernel.source.unit, kernel.source.path.name, ("-lineinfo", *kernel.options))


def loads_ahead(ptx: str) -> int:
    """Count the loads from global memory between a barrier and the reads of a tile behind it.

    They are under way while the tile is used. A load that stands in front of the barrier or behind
    the reads is waited for at once, and so is one whose value is stored before them.
    """
    stretches = re.split(r"\bbar(?:rier)?\.(?!warp)", ptx)[1:]
    ahead = (stretch.split("ld.shared", 1) for stretch in stretches)
    return sum(
        parts[0].rpartition("st.shared")[2].count("ld.global") for parts in ahead if len(parts) > 1
    )


def code(text: str) -> str:
    """Return source without comments and with empty strings; an #include's file name stays."""
    return declarations.without_strings(_INCLUDE.sub(r"\1<\2>", source.without_comments(text)))


def tokens(text: str) -> list[str]:
    """Return source as a list of words and signs, without comments, however it is laid out."""
    return _TOKEN.findall(source.without_comments(text))


def _also(why):
    return f" {why}" if why else ""


def _shown(value):
    """A count or a bound as text: above a thousand without a fraction."""
    return number(round(value) if value >= 1000 else value)

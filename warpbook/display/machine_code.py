"""sass: the machine code that the compiler makes of a kernel, as NVIDIA's nvdisasm prints it.

operand_banks: what its instructions read from the two banks of registers.
"""

import math
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from warpbook.display.listings import STYLE, script
from warpbook.gpu.occupancy import binary
from warpbook.launch.kernel import Kernel
from warpemu import store

try:
    from cuda import pathfinder
except ImportError:
    pathfinder = None

REMEDY = (
    "Machine code is read by NVIDIA's nvdisasm, which is not here. It comes with the CUDA toolkit, "
    "and with: pip install nvidia-cuda-nvdisasm."
)
# An instruction; nvdisasm may write behind it what it is for, as in (*"SpillRefill"*). A line with
# no space before the semicolon only fills up the end of the code.
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?) +(?:\(\*.*?\*\))?;", re.M)
_WHERE = re.compile(r"(?:u?desc\[UR\d+\]|desc\[\w+\]\[\w+\])(?=\[)")  # says nothing to a reader
_PREDICATE = re.compile(r"@!?U?P\w+ ")
_REGISTER = re.compile(r"[-~|!]*R(\d+)")  # an operand that lies in a bank: no uniform one, no RZ
WINDOW = 8  # instructions in a row whose reads are taken together


@dataclass(frozen=True, repr=False)
class MachineCode:
    """Instructions of a kernel, in the order in which they lie in memory; displays as a listing.

    title: the kernel's name and the architecture. lines: one instruction each; empty where no
    disassembler was found, and ``missing`` then says how to get it.
    """

    title: str
    lines: tuple[str, ...]
    missing: str = ""

    def count(self, opcode: str = "") -> float:
        """How many instructions begin with an opcode such as 'LDG' or 'LDG.E.128'.

        All without one; a guard such as @P0 does not count. NaN where no disassembler was found.
        """
        if self.missing:
            return math.nan
        return sum(_opcode(line).startswith(opcode) for line in self.lines)

    def _repr_html_(self):
        if self.missing:
            return f"<p>{escape(self.missing)}</p>"
        rows = "\n".join(f'<span class="w-line"> {escape(line)}</span>' for line in self.lines)
        return (
            f'<figure class="warp-code"><style>{STYLE}</style><figcaption class="w-head">'
            f'<p>{escape(self.title)}</p></figcaption><div class="w-body" tabindex="0" '
            f'data-cut="1"><pre>{rows}</pre></div>{script("listings.js")}</figure>'
        )

    def __repr__(self):
        return self.missing or "\n".join([self.title, *(f"  {line}" for line in self.lines)])


def sass(kernel: Kernel | Any, *opcodes: str, options: tuple[str, ...] = ()) -> MachineCode:
    """Show the machine code (SASS) that NVRTC makes of a kernel, for this GPU or else for an H100.

    opcodes: show only instructions that begin with one of these, such as 'LDG' and 'STG'.
    options: for the compiler, such as '-use_fast_math', beside the kernel's own.
    For a Triton kernel it shows what Triton's own compiler made.
    It needs nvdisasm, from the CUDA toolkit or NVIDIA's wheel; without it the listing says so.
    """
    code, architecture = binary(kernel, options)
    given = "".join(f" {name}={value}" for name, value in kernel.defines.items())
    given += "".join(f" {option}" for option in options)
    title = f"{kernel.variant}{given}: machine code for {architecture}"
    if not code:
        return MachineCode(title, (), "There is no machine code: Triton is not installed here.")
    text = _disassembled(code)
    if text is None:
        return MachineCode(title, (), REMEDY)
    lines = [_WHERE.sub("", found) for found in _INSTRUCTION.findall(text)]
    wanted = [line for line in lines if _opcode(line).startswith(opcodes or ("",))]
    if opcodes:
        title += f", {', '.join(opcodes)} only"
    return MachineCode(title, tuple(line for line in wanted if line != "NOP"))


@dataclass(frozen=True)
class OperandBanks:
    """What instructions read from the two banks of registers, see ``operand_banks``."""

    count: float  # instructions
    three_in_one_bank: float  # of them: those that read three registers of one bank
    clocks: float  # of the busier bank, for one instruction on average


def operand_banks(code: MachineCode | Sequence[str], opcode: str = "FFMA") -> OperandBanks:
    """Count what the operands of instructions cost by the banks of registers.

    code: what ``sass`` returns, or some of its lines, such as those of a loop. opcode: how the
    instructions that count begin; those whose operands are registers of 32 bits, such as 'FFMA',
    'FADD' or 'IADD3'.
    The rule, from Volta on: registers with even numbers are in one bank, those with odd numbers in
    the other, and a bank gives one register of a warp in a clock. An operand that is marked .reuse
    stays at hand for its place in an instruction, and is not read again, until that place next
    takes a register of the same bank; instructions in between do not matter.
    So an instruction that issues in one clock takes more if it wants more than one register of a
    bank, unless its neighbours leave that bank free: reads wait in a queue. The reads of eight in a
    row are therefore taken together, and ``clocks`` is what the busier bank gives them, or one for
    each instruction if that is more.
    Where an instruction takes two clocks by itself, as an FFMA does on Volta, Turing and an A100, a
    bank has time for two registers, and only three_in_one_bank cost time.
    NVIDIA documents none of it. Two banks, and when they collide: Z. Jia and others, Dissecting the
    NVIDIA Volta GPU Architecture (2018). One register a clock, and how long .reuse lasts: R. Huerta
    and others, Analyzing Modern NVIDIA GPU Cores (2025). Eight is the book's own: of 1, 2, 3, 4, 8,
    16 and all, it fits best the times of twelve kernels that differ in the order of multiply-adds.
    NaN where no disassembler was found; clocks are NaN if there is no such instruction.
    """
    if isinstance(code, MachineCode) and code.missing:
        return OperandBanks(math.nan, math.nan, math.nan)
    lines = code.lines if isinstance(code, MachineCode) else code
    chosen = [line for line in map(_opcode, lines) if line.startswith(opcode)]
    reads = _bank_reads(chosen)
    windows = [reads[i : i + WINDOW] for i in range(0, len(reads), WINDOW)]
    clocks = sum(max(len(part), *map(sum, zip(*part, strict=True))) for part in windows)
    return OperandBanks(
        count=len(reads),
        three_in_one_bank=sum(max(pair) == 3 for pair in reads),
        clocks=clocks / len(reads) if reads else math.nan,
    )


def _bank_reads(lines):
    """[(registers of the even bank, of the odd bank)] that each instruction has to read."""
    reads, kept = [], {}  # kept: the register at hand, by (its place in an instruction, its bank)
    for line in lines:
        wanted: tuple[set, set] = (set(), set())
        for place, operand in enumerate(line.split(", ")[1:]):  # behind the one that is written
            if found := _REGISTER.match(operand):
                register, bank = int(found[1]), int(found[1]) % 2
                if kept.get((place, bank)) != register:
                    wanted[bank].add(register)
                kept[place, bank] = register if ".reuse" in operand else None
        reads.append(tuple(map(len, wanted)))
    return reads


def _opcode(line):
    return _PREDICATE.sub("", line)


def _disassembled(code):
    """What nvdisasm prints of a cubin; None where there is no nvdisasm, and no store has it."""
    name, program = store.key("nvdisasm", code), _nvdisasm()
    if not program:
        kept = store.find(name)
        return kept.decode() if kept is not None else None
    return store.kept(name, lambda: _printed(program, code).encode()).decode()


@lru_cache(maxsize=64)
def _printed(program, code):
    """What it prints of the code. -ndf: without its analysis of branches, which adds only notes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(code)
        done = subprocess.run([program, "-c", "-ndf", path], capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"nvdisasm failed: {done.stderr.strip()}")
    return done.stdout


def _nvdisasm():
    """The path of NVIDIA's disassembler: of a wheel, on the PATH, or of the toolkit."""
    find = getattr(pathfinder, "find_nvidia_binary_utility", lambda name: None)  # since 1.4
    places = (None, "/usr/local/cuda/bin")
    return find("nvdisasm") or next(
        filter(None, (shutil.which("nvdisasm", path=p) for p in places)), ""
    )

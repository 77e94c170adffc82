"""sass: the machine code that the compiler makes of a kernel, as NVIDIA's nvdisasm prints it."""

import math
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cuda import pathfinder

from warpbook.display.listings import STYLE
from warpbook.gpu.occupancy import binary
from warpbook.launch.kernel import Kernel

REMEDY = (
    "Machine code is read by NVIDIA's nvdisasm, which is not here. It comes with the CUDA toolkit, "
    "and with: pip install nvidia-cuda-nvdisasm."
)
# An instruction, behind which nvdisasm may say what it is for, as in (*"SpillRefill"*). Without a
# space before the semicolon: what fills up the end.
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?) +(?:\(\*.*?\*\))?;", re.M)
_WHERE = re.compile(r"(?:u?desc\[UR\d+\]|desc\[\w+\]\[\w+\])(?=\[)")  # says nothing to a reader
_PREDICATE = re.compile(r"@!?U?P\w+ ")


@dataclass(frozen=True, repr=False)
class MachineCode:
    """Instructions of a kernel, in their order in memory; it displays itself as a listing.

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
            f'<p>{escape(self.title)}</p></figcaption><div class="w-body" tabindex="0">'
            f"<pre>{rows}</pre></div></figure>"
        )

    def __repr__(self):
        return self.missing or "\n".join([self.title, *(f"  {line}" for line in self.lines)])


def sass(kernel: Kernel | Any, *opcodes: str, options: tuple[str, ...] = ()) -> MachineCode:
    """Show the machine code (SASS) that NVRTC makes of a kernel, for this GPU or else for an H100.

    opcodes: how the instructions that are wanted begin, such as 'LDG' and 'STG'; none means all.
    options: of the compiler, such as '-use_fast_math', beside the kernel's own.
    Of a Triton kernel it shows what Triton's own compiler made.
    It takes nvdisasm, of the CUDA toolkit or of NVIDIA's wheel; without it the text says so.
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


def _opcode(line):
    return _PREDICATE.sub("", line)


def _disassembled(code):
    """What nvdisasm prints of a cubin; None where there is none."""
    program = _nvdisasm()
    return _printed(program, code) if program else None


@lru_cache(maxsize=64)
def _printed(program, code):
    """What it prints of the code, without its analysis of branches: only notes come of that."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(code)
        done = subprocess.run([program, "-c", "-ndf", path], capture_output=True, text=True)
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

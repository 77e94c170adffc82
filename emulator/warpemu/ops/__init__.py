"""The opcodes, one family a file.

To add an opcode, write a handler in the file of its family (or a new file, listed in FAMILIES):

    @op("popc", types="b32 b64")
    def popc(instruction):
        '''a (uT) -> int32: how many bits are set.'''
        return pure(instruction, lambda a: np.bitwise_count(a).astype(np.int32), out="s32")

A handler gets the ``Instruction`` and returns an ``Op``: a function over NumPy values and the PTX
types of what goes in and out. The generated code calls the function with one value per source,
already of the right dtype, shaped as lanes.py says (scalar, (1, t), (b, 1), (b, t) or (n,)), and
stores what it returns. ``pure`` covers what only computes. Whatever touches memory, other lanes or
time is made with ``effect``: its function gets ``(state, group, mask, instruction, *sources)``.
``state`` is the State of the chunk (../state.py), ``group`` the lanes that run (../lanes.py), and
``mask`` says which of them are active (None: all).
A handler's docstring says what goes in -> what comes out; T is the instruction's type, uT the same
width without a sign. What only computes broadcasts the lanes' shapes as NumPy does, so values that
all lanes share stay scalars; an effect says if its result has the group's whole shape instead.
``modifiers`` and ``types`` list every word that may follow the opcode; any other is refused with
the .cu line, so a handler need not look for words it does not know. Values are never changed in
place: make a new array, or ``copy()``.
"""

from dataclasses import dataclass, field
from importlib import import_module

import numpy as np

from ..errors import EmulatorError

FAMILIES = [
    "mov",
    "arithmetic",
    "floats",
    "integer",
    "carry",
    "bits",
    "approx",
    "compare",
    "cvt",
    "load_store",
    "atom",
    "shfl",
    "vote",
    "barrier",
    "mbarrier",
    "cluster",
    "special",
    "call",
    "cp_async",
    "mma",
    "wmma",
    "wgmma",
    "tensormap",
    "ldmatrix",
]
TABLE = {}

DTYPES = {"pred": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64}
DTYPES |= {f"{k}{n}": getattr(np, f"int{n}") for k in "sb" for n in (8, 16, 32, 64)}
DTYPES |= {f"u{n}": getattr(np, f"uint{n}") for n in (8, 16, 32, 64)}
DTYPES |= {"bf16": np.int16, "f16x2": np.int32, "bf16x2": np.int32, "tf32": np.int32}


@dataclass
class Op:
    fn: object
    outs: list  # [(operand, type)]
    ins: list  # [(operand, type)]
    effect: bool = False


@dataclass
class Entry:
    handler: object
    family: str
    modifiers: list = field(default_factory=list)
    types: list = field(default_factory=list)
    shown: list = field(default_factory=list)


def op(name, modifiers="", types="", shown=""):
    """Decorator: the handler of an opcode, and the words that may follow it. shown: what the book
    prints of them, if they are many.
    """

    def register(handler):
        family = handler.__module__.rsplit(".", 1)[-1]
        words = modifiers.split()
        TABLE[name] = Entry(handler, family, words, types.split(), shown.split() or words)
        return handler

    return register


def pure(instruction, fn, out=None, ins=None):
    """An Op that computes operand 0 from the others. out, ins: types; by default the
    instruction's.
    """
    sources = instruction.operands[1:]
    ins = ins or [instruction.type] * len(sources)
    return Op(
        fn,
        [(instruction.operands[0], out or instruction.type)],
        list(zip(sources, ins, strict=True)),
    )


def effect(fn, outs=(), ins=()):
    """An Op that acts on the state; outs, ins: [(operand, type)]."""
    return Op(fn, list(outs), list(ins), effect=True)


def translate(instruction):
    """The Op of an instruction; an error that names the opcode and the line if it is not
    covered.
    """
    entry = TABLE.get(instruction.name)
    if entry is None:
        raise EmulatorError(
            f"line {instruction.line}: the emulator does not cover the opcode {instruction.opcode} "
            f"({instruction.text})"
        )
    unknown = [
        p for p in instruction.parts[1:] if p not in entry.modifiers and p not in entry.types
    ]
    if unknown:
        raise EmulatorError(
            f"line {instruction.line}: the emulator covers {instruction.name} but not "
            f".{' .'.join(unknown)} in {instruction.opcode} ({instruction.text})"
        )
    return entry.handler(instruction)


def refuse(instruction, why):
    """The error for a combination that a handler cannot do."""
    return EmulatorError(
        f"line {instruction.line}: the emulator does not cover {instruction.opcode}: {why} "
        f"({instruction.text})"
    )


def coverage():
    """[(family, opcode, modifiers, types)] of all that the emulator runs."""
    return [
        (e.family, name, " ".join("." + m for m in e.shown), " ".join(e.types))
        for name, e in sorted(TABLE.items(), key=lambda kv: (FAMILIES.index(kv[1].family), kv[0]))
    ]


for family in FAMILIES:
    import_module(f"{__name__}.{family}")

"""What one load, store, atomic or copy touches in memory: its Access."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

# By bytes: the type in which lanes' values are moved, not computed.
WIDE = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64, 16: np.complex128}


@dataclass(frozen=True)
class Access:
    """What an instruction touches, the same for all lanes; ``instruction.access`` holds it.

    space: 'global', 'shared', 'local', 'const', 'param', or 'generic': each lane's address tells.
    dtype: NumPy type of one element; count: elements a lane (4 of .v4).
    bytes: of all elements of a lane: 1, 2, 4, 8 or 16, and what the address is a multiple of.
    offset: bytes that the instruction adds to the address register.
    strong: volatile, relaxed, acquire, release or mmio: not a race with others of its kind.
    verb: what it does, for messages: 'reads', 'writes', 'updates', 'copies to'.
    counted: bytes a lane that the report counts. ``merge_accesses.merge`` makes it the width of the
        access that ptxas merges this one into, or 0 if another one counts for it.
    lead: bytes from where what is counted begins to the offset; ptxas widens loads downwards, too.
    past_l1: a copy that passes by the L1 cache, cp.async.cg; ``rules.past_l1`` counts its sectors.
    operation: of an atomic, such as 'add'; else ''.
    wanted: is the old value of an atomic read? ``program.drop_unread`` finds out.

    A pass that decides one of these later puts a new Access on the instruction, made with
    ``dataclasses.replace``.
    """

    space: str
    dtype: type
    bytes: int
    count: int = 1
    offset: int = 0
    strong: bool = False
    verb: str = "reads"
    counted: int = 0
    lead: int = 0
    past_l1: bool = False
    operation: str = ""
    wanted: bool = False

    @cached_property
    def wide(self):
        """NumPy type of all that a lane moves."""
        return WIDE[self.bytes]

    @property
    def start(self):
        """The offset at which what is counted begins."""
        return self.offset - self.lead

    @cached_property
    def shift(self):
        """log2 of bytes."""
        return self.bytes.bit_length() - 1

    @cached_property
    def element(self):
        """Bytes of one element."""
        return self.bytes // self.count

"""Pointers: an argument of a launch that holds the addresses of arrays, a table or a struct."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .memory import Memory


@dataclass(frozen=True, eq=False)
class Pointers:
    """Bytes in which addresses of arrays stand, which a launch fills in.

    raw: the bytes; arrays: {offset in them: (what messages call the array, the array)}; table: pass
    the address of the bytes, as for a float**, and not the bytes themselves, as for a struct.
    """

    raw: bytes
    arrays: Mapping[int, tuple[str, np.ndarray]]
    table: bool = False

    def placed(self, memory: Memory, label: str) -> bytes:
        """Return the bytes of the argument, with the arrays in a launch's memory."""
        data = bytearray(self.raw)
        for offset, (name, array) in self.arrays.items():
            struct.pack_into("<Q", data, offset, memory.add(name, array))
        if not self.table:
            return bytes(data)
        return struct.pack("<Q", memory.add(label, np.frombuffer(bytes(data), np.uint64).copy()))

"""Tensor maps: what cp.async.bulk.tensor copies boxes of. Without a driver there are these.

On a GPU a map is 128 bytes that cuTensorMapEncodeTiled writes and no program may look into. Here it
is 128 bytes as well, so that a kernel takes it in the same way: a mark and the number of a
TensorMap that this process knows. ``check`` refuses what the driver refuses, with the rule that is
broken.
"""

import itertools
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from .memory import owner_of

# name -> (number that the driver has for it, bytes of an element, is it a float?)
TYPES = {
    "uint8": (0, 1, False),
    "uint16": (1, 2, False),
    "uint32": (2, 4, False),
    "int32": (3, 4, False),
    "uint64": (4, 8, False),
    "int64": (5, 8, False),
    "float16": (6, 2, True),
    "float32": (7, 4, True),
    "float64": (8, 8, True),
    "bfloat16": (9, 2, True),
    "float32_ftz": (10, 4, True),
    "tfloat32": (11, 4, True),
    "tfloat32_ftz": (12, 4, True),
}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}  # span: 16 << number bytes
INTERLEAVES = {"none": 0, "16B": 1, "32B": 2}
PROMOTIONS = {"none": 0, "64B": 1, "128B": 2, "256B": 3}
FILLS = {"zeros": 0, "nan": 1}
SIZE = 128  # bytes of a map
MARK = b"a tensor map of the emulator\0\0\0\0"
DTYPE = np.dtype([("opaque", np.uint64, 16)])  # of a map, as an argument of a launch


@dataclass(frozen=True)
class TensorMap:
    """The fields of a map. Sizes and boxes begin with the innermost dimension, as the driver and
    the kernel's coordinates have them.

    address: of the first element; for the emulator, in bytes from where the array's owner begins;
    kind: a name in TYPES; sizes, box, steps: of each
    dimension, in elements; strides: bytes from one element to the next in each dimension but the
    innermost; interleave, swizzle, promotion, fill: names in the tables above.
    """

    address: int
    kind: str
    sizes: tuple
    strides: tuple
    box: tuple
    steps: tuple
    interleave: str = "none"
    swizzle: str = "none"
    promotion: str = "none"
    fill: str = "zeros"

    @property
    def element(self):
        """Bytes of an element."""
        return TYPES[self.kind][1]

    @property
    def box_bytes(self):
        return int(np.prod(self.box)) * self.element


# What a NumPy type is called there, if not by its own name.
NAMES = {"int8": "uint8", "bool": "uint8", "int16": "uint16"}


def describe(
    array: Any,
    address: int,
    box: tuple[int, ...],
    kind: str | None = None,
    steps: tuple[int, ...] | None = None,
    interleave: str = "none",
    swizzle: str = "none",
    promotion: str = "none",
    fill: str = "zeros",
) -> TensorMap:
    """The TensorMap of an array (of NumPy or CuPy) that begins at ``address``, checked.

    box, steps: in the order of the array's axes, the last of which is the innermost dimension.
    """
    name = array.dtype.name
    kind = kind or NAMES.get(name, name)
    if kind not in TYPES:
        raise ValueError(f"there are tensor maps of {', '.join(TYPES)}, not of {kind}")
    if TYPES[kind][1] != array.itemsize:
        raise ValueError(
            f"elements of kind {kind} have {TYPES[kind][1]} bytes, those of the array "
            f"{array.itemsize} ({name})"
        )
    if array.ndim and array.shape[-1] > 1 and array.strides[-1] != array.itemsize:
        raise ValueError(
            f"the elements of the last axis lie {array.strides[-1]} bytes apart: they have to be "
            "neighbours. Copy the array: np.ascontiguousarray(array)"
        )
    fields = TensorMap(
        address=address,
        kind=kind,
        sizes=array.shape[::-1],
        strides=array.strides[-2::-1] if array.ndim > 1 else (),
        box=tuple(int(n) for n in box)[::-1],
        steps=(1,) * array.ndim if steps is None else tuple(int(n) for n in steps)[::-1],
        interleave=interleave,
        swizzle=swizzle,
        promotion=promotion,
        fill=fill,
    )
    check(fields)
    return fields


def check(fields: TensorMap) -> None:
    """Raise ValueError for a map that cuTensorMapEncodeTiled would refuse, with the rule."""
    rank = len(fields.sizes)
    for name, table in (
        ("kind", TYPES),
        ("interleave", INTERLEAVES),
        ("swizzle", SWIZZLES),
        ("promotion", PROMOTIONS),
        ("fill", FILLS),
    ):
        if getattr(fields, name) not in table:
            raise ValueError(
                f"{name} is {getattr(fields, name)!r}; it is one of {', '.join(table)}"
            )
    if not 1 <= rank <= 5:
        raise ValueError(f"a tensor map has 1 to 5 dimensions, and the array has {rank}")
    if fields.interleave != "none" and rank < 3:
        raise ValueError(f"interleave {fields.interleave} needs at least 3 dimensions, not {rank}")
    step = 32 if fields.interleave == "32B" else 16
    if fields.address % step:
        raise ValueError(
            f"the array begins at address {fields.address:#x}, which is not a multiple of {step}: "
            "begin the view elsewhere, or copy it"
        )
    if len(fields.box) != rank:
        raise ValueError(f"box has {len(fields.box)} sizes, and the array has {rank} dimensions")
    if len(fields.steps) != rank:
        raise ValueError(f"steps has {len(fields.steps)} numbers for {rank} dimensions")
    for size in fields.sizes:
        if not 1 <= size <= 1 << 32:
            raise ValueError(f"a dimension of {size} elements: 1 to 2^32 are allowed")
    for stride in fields.strides:
        if stride % step or not 0 <= stride < 1 << 40:
            raise ValueError(
                f"a stride of {stride} bytes: all but the innermost are multiples of {step} and "
                "less than 2^40. Pad the rows of the array: with float32, to a multiple of 4"
            )
    for size in fields.box:
        if not 1 <= size <= 256:
            raise ValueError(f"a box of {size} elements along one dimension: 1 to 256 are allowed")
    for number in fields.steps:
        if not 1 <= number <= 8:
            raise ValueError(f"a step of {number} elements: 1 to 8 are allowed")
    inner = fields.box[0] * fields.element
    if fields.interleave == "none" and inner % 16:
        raise ValueError(
            f"the box has {inner} bytes along the innermost dimension: a multiple of 16 is needed"
        )
    span = 16 << SWIZZLES[fields.swizzle]
    if fields.interleave == "none" and fields.swizzle != "none" and inner > span:
        raise ValueError(
            f"the box has {inner} bytes along the innermost dimension, and swizzle "
            f"{fields.swizzle} allows {span}: take a narrower box, and more of them"
        )
    if fields.interleave == "32B" and fields.swizzle != "32B":
        raise ValueError(f"interleave 32B needs swizzle 32B, not {fields.swizzle}")
    if fields.fill == "nan" and not TYPES[fields.kind][2]:
        raise ValueError(f"fill 'nan' needs elements that are floats, not {fields.kind}")


# Maps of this process ----------------------------------------------------------------------------
_known: dict = {}  # number -> (TensorMap, a weak reference to the owner of the array's memory)
_numbers = itertools.count(1)


def encode(fields: TensorMap, array: np.ndarray) -> np.void:
    """The 128 bytes that stand for a map of an array, as an argument of a launch."""
    number, owner = next(_numbers), owner_of(array)[0]
    _known[number] = fields, weakref.ref(owner, lambda _: _known.pop(number, None))
    raw = (MARK + number.to_bytes(8, "little")).ljust(SIZE, b"\0")
    return np.frombuffer(raw, DTYPE)[0]


def of(array: np.ndarray, box: tuple[int, ...], **settings: Any) -> np.void:
    """The map of a NumPy array, as an argument of a launch; settings as of ``describe``."""
    return encode(describe(array, owner_of(array)[1], box, **settings), array)


def decode(raw: bytes) -> tuple[TensorMap, np.ndarray] | None:
    """(TensorMap, the owner of its array's memory) of 128 bytes; None if they are no map, or if
    their array is gone.
    """
    if not raw.startswith(MARK):
        return None
    fields, reference = _known.get(
        int.from_bytes(raw[len(MARK) : len(MARK) + 8], "little"), (None, lambda: None)
    )
    owner = reference()
    return None if owner is None else (fields, owner)

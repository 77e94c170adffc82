"""Tensor maps that a kernel makes or changes with tensormap.replace.

On a GPU the bytes of a map are the hardware's own. Here those of a map that a kernel has touched
are a draft: its fields one after the other, behind a mark.
"""

import numpy as np

from . import tensor_map

MARK = b"drafted\x01"
DRAFT = np.dtype(
    [
        ("mark", "S8"),
        ("address", "u8"),
        ("stride", "u8", 4),
        ("size", "u4", 5),
        ("box", "u4", 5),
        ("step", "u1", 5),
        *((name, "u1") for name in ("rank", "kind", "interleave", "swizzle", "fill", "promotion")),
        ("rest", "u1", 29),
    ]
)
KINDS = [  # by the number that tensormap.replace has for them, which is not the driver's
    *("uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32"),
    *("float32_ftz", "float64", "bfloat16", "tfloat32", "tfloat32_ftz"),
]
TABLES = {
    "interleave": tensor_map.INTERLEAVES,
    "swizzle": tensor_map.SWIZZLES,
    "fill": tensor_map.FILLS,
    "promotion": tensor_map.PROMOTIONS,
}


def array_of(state, owner):
    """The memory.Array of the owner of a map's array, which need not be an argument."""
    number = state.memory.known.get(id(owner))
    name = state.memory.slots[number].parts[0][1] if number else "the tensor map's array"
    state.memory.add(name, owner)
    return state.memory.slots[state.memory.known[id(owner)]]


def read_draft(state, raw):
    """The draft, a DRAFT scalar to write into, of 128 bytes; None if they are no map."""
    if raw.startswith(MARK):
        return np.frombuffer(raw, DRAFT)[0].copy()
    draft = np.zeros((), DRAFT)
    draft["mark"] = MARK
    if not any(raw):
        return draft
    found = tensor_map.decode(raw)
    if found is None:
        return None
    fields, owner = found
    array = array_of(state, owner)
    rank = len(fields.sizes)
    draft["address"], draft["rank"] = array.base + fields.address, rank - 1
    draft["size"][:rank], draft["box"][:rank] = fields.sizes, fields.box
    draft["step"][:rank], draft["stride"][: rank - 1] = fields.steps, fields.strides
    draft["kind"] = KINDS.index(fields.kind)
    for name in ("interleave", "swizzle", "fill", "promotion"):
        draft[name] = list(TABLES[name]).index(getattr(fields, name))
    return draft


def map_of_draft(state, raw):
    """(TensorMap, Array) of a draft's bytes; ValueError for what the hardware would not take."""
    draft = np.frombuffer(raw, DRAFT)[0]
    array = state.memory.at(int(draft["address"]))
    if array is None:
        raise ValueError(f"its global address is {int(draft['address']):#x}, where no array is")
    rank = int(draft["rank"]) + 1
    words = {}
    for name, table in TABLES.items():
        number = int(draft[name])
        if number >= len(table):
            raise ValueError(f"{name} is {number}, which the emulator does not cover")
        words[name] = list(table)[number]
    kind = int(draft["kind"])
    if kind >= len(KINDS):
        raise ValueError(f"elemtype is {kind}, which the emulator does not cover")
    sizes, box, steps = (
        tuple(int(n) for n in draft[name][:rank]) for name in ("size", "box", "step")
    )
    strides = tuple(int(n) for n in draft["stride"][: rank - 1])
    address = int(draft["address"]) - array.base
    fields = tensor_map.TensorMap(address, KINDS[kind], sizes, strides, box, steps, **words)
    tensor_map.check(fields)
    return fields, array

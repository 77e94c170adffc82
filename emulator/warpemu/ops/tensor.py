"""cp.async.bulk.tensor: copies of boxes of a tensor, whose map says how it lies in memory.

A box lies in shared memory row after row, the innermost dimension first. A swizzle moves its pieces
of 16 bytes: the number of a piece in its line of 128 bytes is XORed with the number of the line.
What lies outside of the tensor is filled on the way in, and left out on the way out. Along the
innermost dimension a box begins at a multiple of 16 bytes, outside of the tensor too, and a box
that is stored does not begin before the tensor: else an H200 ends the kernel with an illegal
instruction.
"""

import numpy as np

from .. import device_tensor_maps, tensor_map
from ..bulk import CHUNK, Flight, Store
from ..errors import EmulatorError
from ..memory import LOCAL_WINDOW, SHARED_WINDOW
from ..ptx import Vector
from . import effect, refuse
from .bulk import (
    DONE,
    HINT,
    INTO,
    active,
    global_side,
    note_read,
    note_write,
    policy_last,
    shared_side,
)

RANKS = {f"{n}d": n for n in range(1, 6)}
LINE = 7  # log2 of the bytes of a line that a swizzle works in
# By bytes of an element; the bits are those that an H200 fills in.
NAN = {2: 0x7FF7, 4: 0x7FF77FF7, 8: 0x7FF77FF77FF77FF7}


def tensor(instruction):
    """A map's address, coordinates (int32), addresses in shared memory (int64) -> nothing; any lane
    shapes.
    """
    words = instruction.parts[4:]
    if instruction.parts[3] == "prefetch":
        if words[1] in RANKS and set(words[2:]) <= {"L2", "global", "tile", HINT}:
            return prefetch(instruction, RANKS[words[1]])
        raise refuse(instruction, "this form")
    how = set(words[3:]) - {"tile"}
    if words[0] not in RANKS:
        raise refuse(instruction, "this form")
    if words[1] in INTO and words[2] == "global" and DONE in how:
        if how <= {DONE, HINT, "multicast_cluster"}:
            return load(instruction, RANKS[words[0]], "multicast_cluster" in how)
    elif words[1:3] == ["global", "shared_cta"] and {"bulk_group"} <= how <= {"bulk_group", HINT}:
        return store(instruction, RANKS[words[0]])
    raise refuse(instruction, "this form")


def box_operand(instruction, operand, rank):
    """(the map's address, its offset, the coordinates) of an operand [map, {x, y}]."""
    if not isinstance(operand, Vector) or len(operand.items) != 2:
        raise refuse(instruction, "this operand")
    base, place = operand.items
    coordinates = place.items if isinstance(place, Vector) else (place,)
    if len(coordinates) != rank:
        raise refuse(instruction, f"{len(coordinates)} coordinates")
    return base, list(coordinates)


def load(instruction, rank, multicast):
    """[dst], [map, {x, ...}], [mbarrier] {, mask}."""
    dst, box, barrier, *rest = policy_last(instruction, instruction.operands)
    base, coordinates = box_operand(instruction, box, rank)
    instruction.access = shared_side(instruction, "copies to")
    offsets = np.int64(dst.offset), np.int64(barrier.offset)

    def fn(state, group, mask, instruction, dst, base, barrier, *values):
        places, ranks = values[:rank], values[rank] if multicast else np.int32(0)
        for lane, to, at, bar, who, *corner in active(
            state,
            group,
            mask,
            instruction,
            dst + offsets[0],
            base,
            barrier + offsets[1],
            ranks,
            *places,
        ):
            box = Box(lane, at, corner, rank)
            row, offset = lane.in_shared(to, box.fields.box_bytes, 128)
            target = lane.mbarrier(bar)
            if row != target.row:
                why = "its data and its mbarrier are in different blocks of the cluster"
                lane.fault("shared out of bounds", target.offset, why)
            data, chunks = box.read(), box.chunks(offset)
            where = [(row, target)]
            if multicast:
                where = lane.everywhere(row, offset, target, who & 0xFFFF)
            for block, one in where:
                state.flights.start(Flight(instruction, block, lane.by, chunks, data, one))

    ins = [(dst, "s64"), (base, "s64"), (barrier, "s64")]
    return effect(fn, [], ins + [(c, "s32") for c in coordinates] + [(o, "s32") for o in rest])


def store(instruction, rank):
    """[map, {x, ...}], [src]."""
    box, src = policy_last(instruction, instruction.operands)
    base, coordinates = box_operand(instruction, box, rank)
    instruction.access = shared_side(instruction, "copies from")
    offset_of = np.int64(src.offset)

    def fn(state, group, mask, instruction, src, base, *places):
        for lane, at, address, *corner in active(
            state, group, mask, instruction, src + offset_of, base, *places
        ):
            box = Box(lane, address, corner, rank)
            if min(corner) < 0:
                lane.fault("misaligned box", address, before(min(corner)))
            if not box.array.parts[0][2].flags.writeable:
                raise EmulatorError(
                    f"line {instruction.line}: the kernel writes through a tensor map into an "
                    "array that is read-only"
                )
            row, offset = lane.in_shared(at, box.fields.box_bytes, 128, near=True)
            state.flights.leave(
                Store(instruction, row, lane.by, box.chunks(offset), box.write, box.wanted())
            )

    ins = [(src, "s64"), (base, "s64")] + [(c, "s32") for c in coordinates]
    return effect(fn, [], ins)


def prefetch(instruction, rank):
    """[map, {x, ...}]: to the L2 cache, which the emulator does not have; the box is checked."""
    (box,) = policy_last(instruction, instruction.operands)
    base, coordinates = box_operand(instruction, box, rank)
    instruction.access = global_side(instruction, CHUNK, "fetches").access

    def fn(state, group, mask, instruction, base, *places):
        for lane, address, *corner in active(state, group, mask, instruction, base, *places):
            Box(lane, address, corner, rank)

    return effect(fn, [], [(base, "s64")] + [(c, "s32") for c in coordinates])


def map_at(lane, address):
    """(TensorMap, Array) of the map at a generic address."""
    state = lane.state
    array = state.memory.at(address) if 0 <= address < min(SHARED_WINDOW, LOCAL_WINDOW) else None
    raw = b""
    if array is not None:
        start = address - array.base
        raw = array.data[start : start + tensor_map.SIZE].tobytes()
    found = state.launch.maps.get(raw) or (len(raw) == tensor_map.SIZE and tensor_map.decode(raw))
    if not found and raw.startswith(device_tensor_maps.MARK):
        try:
            found = state.launch.maps[raw] = device_tensor_maps.map_of_draft(state, raw)
        except ValueError as error:
            lane.fault("no tensor map", address, f"its tensor map, made by the kernel: {error}")
    if not found:
        why = (
            "its tensor map's address holds none: pass the map by value as a `const "
            "__grid_constant__` parameter and give the parameter's address, and keep the map's "
            "array"
        )
        lane.fault("no tensor map", address, why)
    if raw not in state.launch.maps:
        fields, owner = found
        state.launch.maps[raw] = fields, device_tensor_maps.array_of(state, owner)
    return state.launch.maps[raw]


def misaligned(first, fields):
    """What is wrong with a box that begins at this innermost coordinate."""
    step, width = CHUNK // fields.element, fields.element
    return (
        f"its innermost coordinate is {first}: with elements of {width} byte{'s'[: width > 1]} "
        f"({fields.kind}) that is {first * width} bytes, and a GPU, where a box has to begin at a "
        f"multiple of {CHUNK} bytes, ends the kernel with an illegal instruction. Take a multiple "
        f"of {step} as the coordinate, here {first // step * step}, and a box that is wider"
    )


def before(first):
    """What is wrong with a store whose box begins before the tensor."""
    return (
        f"it stores a box that begins at coordinate {first}, before the tensor: an H200 ends the "
        "kernel with an illegal instruction. Store the part that lies inside as a box of its own"
    )


class Box:
    """One box: a Lane asks for it. corner: its first element, innermost dimension first."""

    def __init__(self, lane, address, corner, rank):
        self.lane, self.corner = lane, corner
        self.fields, self.array = map_at(lane, address)
        f = self.fields
        if len(f.sizes) != rank:
            why = f"its tensor map has {len(f.sizes)} dimensions, and the instruction {rank}"
            lane.fault("no tensor map", address, why)
        if f.interleave != "none" or any(step > 1 for step in f.steps[1:]):
            line = lane.instruction.line
            raise EmulatorError(
                f"line {line}: the emulator does not cover tensor maps with interleaving or steps"
            )
        span = CHUNK << tensor_map.SWIZZLES[f.swizzle]
        if f.swizzle != "none" and f.box[0] * f.element < span:
            line = lane.instruction.line
            raise EmulatorError(
                f"line {line}: the emulator does not cover a box narrower than its swizzle: on a "
                f"GPU its rows lie {span} bytes apart. Take a box of {span} bytes, or a "
                "narrower swizzle"
            )
        if corner[0] * f.element % CHUNK:
            lane.fault("misaligned box", address, misaligned(corner[0], f))

    def inside(self):
        """For each dimension, outermost first: (slice of the box, slice of the tensor) where the
        box lies in the tensor; None if nowhere.
        """
        parts = []
        for first, size, length in zip(
            self.corner[::-1], self.fields.sizes[::-1], self.fields.box[::-1], strict=True
        ):
            low, high = max(first, 0), min(first + length, size)
            if low >= high:
                return None
            parts.append((slice(low - first, high - first), slice(low, high)))
        return parts

    def wanted(self):
        """Which bytes of the box lie in the tensor, bool (n, 16); None for all."""
        f, parts = self.fields, self.inside()
        whole = [(0, n) for n in f.box[::-1]]
        if parts and [(within.start, within.stop) for within, _ in parts] == whole:
            return None
        marks = np.zeros(f.box[::-1], bool)
        if parts:
            marks[tuple(within for within, _ in parts)] = True
        return np.repeat(marks.reshape(-1), f.element).reshape(-1, CHUNK)

    def tensor(self):
        """The tensor as an array of unsigned integers, outermost dimension first."""
        f = self.fields
        raw = self.array.data[f.address :]
        strides = (*f.strides[::-1], f.element)
        kind = f"u{f.element}"
        usable = len(raw) // f.element * f.element
        return np.lib.stride_tricks.as_strided(raw[:usable].view(kind), f.sizes[::-1], strides)

    def read(self):
        """What the box holds, (n, 16) bytes; outside of the tensor what the map fills in."""
        f, parts = self.fields, self.inside()
        fill = NAN[f.element] if f.fill == "nan" else 0
        box = np.full(f.box[::-1], fill, f"u{f.element}")
        if parts:
            within, there = (tuple(p[k] for p in parts) for k in (0, 1))
            box[within] = self.tensor()[there]
            note_read(self.lane, *self.touched(there, "copies from"))
        return box.reshape(-1).view(np.uint8).reshape(-1, CHUNK)

    def write(self, data):
        """Write the box's bytes (n, 16) where it lies in the tensor."""
        f, parts = self.fields, self.inside()
        if parts:
            within, there = (tuple(p[k] for p in parts) for k in (0, 1))
            box = np.ascontiguousarray(data).reshape(-1).view(f"u{f.element}")
            note_write(self.lane, *self.touched(there, "copies to"))
            self.tensor()[there] = box.reshape(f.box[::-1])[within]

    def touched(self, there, verb):
        """(the instruction, as an access of global memory; the Array; byte offsets in it)."""
        f = self.fields
        strides = (*f.strides[::-1], f.element)
        offsets = np.array([f.address])
        for part, stride in zip(there[:-1], strides[:-1], strict=True):
            offsets = (offsets[:, None] + np.arange(part.start, part.stop) * stride).reshape(-1)
        first, last = there[-1].start * f.element, there[-1].stop * f.element
        size = next(n for n in (16, 8, 4, f.element) if (first | last) % n == 0)
        size = max(size, f.element)
        offsets = (offsets[:, None] + np.arange(first, last, size)).reshape(-1)
        return global_side(self.lane.instruction, size, verb), self.array, offsets

    def chunks(self, offset):
        """Where in shared memory each piece of 16 bytes lies, (n,), if the box begins at offset."""
        places = np.arange(offset, offset + self.fields.box_bytes, CHUNK)
        bits = (1 << tensor_map.SWIZZLES[self.fields.swizzle]) - 1
        return places ^ ((places >> LINE & bits) * CHUNK)

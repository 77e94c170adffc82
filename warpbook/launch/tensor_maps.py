"""Tensor maps, by which cp.async.bulk.tensor copies boxes of an array to and from shared memory."""

import weakref
from dataclasses import replace
from typing import Any

import numpy as np

from warpbook.launch.backend import GPU
from warpemu import tensor_map as maps


def tensor_map(
    array: Any,
    box: tuple[int, ...],
    *,
    swizzle: str = "none",
    fill: str = "zeros",
    kind: str | None = None,
    promotion: str = "none",
    steps: tuple[int, ...] | None = None,
    interleave: str = "none",
) -> np.void:
    """Return the tensor map of an array, to pass to a kernel's tensor-map parameter.

    A kernel declares the parameter as ``const __grid_constant__ TensorMap map``, with
    ``struct alignas(64) TensorMap { unsigned long long words[16]; };`` before it. One instruction
    of one thread then copies a box of the array.

    array: of 1 to 5 dimensions; its last axis contiguous, the strides of the others multiples of 16
    bytes, and so its first byte. The map does not keep it: keep it yourself.
    box: elements of a box along each axis, in the order of the array's axes; 1 to 256 each, along
    the last axis a multiple of 16 bytes. (The instruction names the coordinates in the opposite
    order, the last axis first, and that one has to be a multiple of 16 bytes too.)
    swizzle: 'none', '32B', '64B' or '128B': how pieces of 16 bytes change places in shared memory,
    so that columns of the box lie in different banks; the box is at most that wide.
    fill: 'zeros' or 'nan': what elements outside of the array are loaded as.
    kind: the elements' type where the array's does not say it, such as 'bfloat16' or 'tfloat32'.
    promotion: bytes that the L2 cache fetches at once, 'none', '64B', '128B' or '256B'.
    steps, interleave: as elementStrides and interleave of cuTensorMapEncodeTiled.
    Raises ValueError with the rule that is broken, for what cuTensorMapEncodeTiled refuses.
    """
    settings: dict[str, Any] = {
        "kind": kind,
        "steps": steps,
        "interleave": interleave,
        "swizzle": swizzle,
        "promotion": promotion,
        "fill": fill,
    }
    if isinstance(array, np.ndarray):
        if GPU:
            raise TypeError("this is a NumPy array, in the host's memory: cp.asarray(array)")
        return maps.of(array, box, **settings)
    fields = maps.describe(array, array.data.ptr, box, **settings)
    made = by_driver(fields)
    owner = array
    while owner.base is not None:
        owner = owner.base
    fields = replace(fields, address=fields.address - owner.data.ptr)
    _made[made.tobytes()] = fields, weakref.ref(owner)
    return made


_made: dict = {}  # bytes of a driver's map -> what ``described`` gives, by a weak reference


def described(made: np.void) -> tuple[maps.TensorMap, Any] | None:
    """Return the fields of a map of ``tensor_map`` and the array that owns its memory, from whose
    first byte ``address`` counts; None for other bytes, or if that array is gone.
    """
    raw = made.tobytes()
    fields, reference = _made.get(raw, (None, lambda: None))
    owner = reference()
    return maps.decode(raw) if owner is None else (fields, owner)


def by_driver(fields: maps.TensorMap) -> np.void:
    """Return the map that the driver makes of the fields; ``address`` is the device's."""
    try:
        from cuda.bindings import driver
    except ImportError:
        raise ImportError(
            "tensor maps are made by cuTensorMapEncodeTiled, which is reached through "
            "cuda.bindings: pip install cuda-bindings"
        ) from None
    rank = len(fields.sizes)
    strides = fields.strides or (0,)
    status, made = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType(maps.TYPES[fields.kind][0]),
        rank,
        fields.address,
        [driver.cuuint64_t(n) for n in fields.sizes],
        [driver.cuuint64_t(n) for n in strides],
        [driver.cuuint32_t(n) for n in fields.box],
        [driver.cuuint32_t(n) for n in fields.steps],
        driver.CUtensorMapInterleave(maps.INTERLEAVES[fields.interleave]),
        driver.CUtensorMapSwizzle(maps.SWIZZLES[fields.swizzle]),
        driver.CUtensorMapL2promotion(maps.PROMOTIONS[fields.promotion]),
        driver.CUtensorMapFloatOOBfill(maps.FILLS[fields.fill]),
    )
    if status != driver.CUresult.CUDA_SUCCESS:
        raise ValueError(f"cuTensorMapEncodeTiled refuses this map: {status.name} ({fields})")
    words = np.array([int(word) for word in made.opaque], np.uint64)
    return words.view(maps.DTYPE)[0]

"""A launch's arguments: each is compared with the parameter it is for, before anything runs."""

import re

import numpy as np

from warpbook.launch import header
from warpbook.launch.backend import GPU, cp

# C type -> NumPy dtype. A long is the platform's, as for NVRTC: 8 bytes, on Windows 4. The types of
# vectors are these names with a number behind: uint4, half2.
SCALARS = {
    "bool": "?",
    "char": "i1",
    "signed char": "i1",
    "unsigned char": "u1",
    "uchar": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "ushort": "u2",
    "int": "i4",
    "unsigned": "u4",
    "unsigned int": "u4",
    "uint": "u4",
    "long": "l",
    "unsigned long": "L",
    "ulong": "L",
    "long long": "i8",
    "unsigned long long": "u8",
    "longlong": "i8",
    "ulonglong": "u8",
    "int8_t": "i1",
    "uint8_t": "u1",
    "int16_t": "i2",
    "uint16_t": "u2",
    "int32_t": "i4",
    "uint32_t": "u4",
    "int64_t": "i8",
    "uint64_t": "u8",
    "size_t": "u8",
    "ptrdiff_t": "i8",
    "intptr_t": "i8",
    "uintptr_t": "u8",
    "float": "f4",
    "double": "f8",
    "half": "f2",
    "__half": "f2",
}
BFLOATS = {"__nv_bfloat16": 1, "nv_bfloat16": 1, "__nv_bfloat162": 2, "nv_bfloat162": 2}  # values


def convert(kernel, args, array_of=None):
    """Return what a launch passes for ``args``: each checked, each number of its declared type.

    kernel: a Kernel; its ``source.parameters`` declare what is wanted. array_of: the function
    (kernel, parameter, array) that checks an array; by default the one for the GPU's memory.
    Raises TypeError or ValueError that says what to change.
    """
    array_of, declared = array_of or device_array, kernel.source.parameters
    if len(args) != len(declared):
        names = ", ".join(p.name for p in declared)
        raise TypeError(
            f"{kernel.name} takes {len(declared)} arguments ({names}), but got {len(args)}."
        )
    values = tuple(
        a if p.map else array_of(kernel, p, a) if p.pointer else _scalar(kernel, p, a)
        for p, a in zip(declared, args, strict=True)
    )
    return _with_maps(kernel, values) if any(p.map for p in declared) else values


def device_array(kernel, parameter, array):
    """Return ``array`` if a kernel on the GPU or in the emulator may have it for ``parameter``."""
    where = _where(kernel, parameter)
    if not isinstance(array, cp.ndarray):
        raise TypeError(f"{where} is a pointer, but got {_kind(array)}. {_remedy(array)}")
    _check_layout(kernel, parameter, array, "cp")
    aligned = alignment(kernel.types[parameter.name][1], array.itemsize)
    if _address(array) % aligned:
        raise ValueError(
            f"{where} is declared {parameter.ctype}*, which needs an address that is a "
            f"multiple of {aligned} bytes; this view begins elsewhere. "
            "Begin it at such a multiple, or copy it: array.copy()."
        )
    return array


def host_array(kernel, parameter, array):
    """Return ``array`` if a kernel on the CPU may have it for ``parameter``."""
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"{_where(kernel, parameter)} is a pointer into the host's memory, but got "
            f"{_kind(array)}. Pass a NumPy array; one on the GPU becomes one with "
            "cp.asnumpy(array)."
        )
    _check_layout(kernel, parameter, array, "np")
    return array


def _check_layout(kernel, parameter, array, library):
    """Refuse an array of another dtype, and one with gaps. library: 'cp' or 'np', in the remedy."""
    where, (dtype, _) = _where(kernel, parameter), kernel.types[parameter.name]
    if dtype is not None and array.dtype != dtype:
        raise TypeError(
            f"{where} is declared {parameter.ctype}*, but the array holds {array.dtype}. "
            f"Convert it once: array.astype('{dtype}')."
        )
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{where} is a strided view (shape {array.shape}, strides {array.strides}), and a "
            f"kernel sees a bare pointer. Copy it first: {library}.ascontiguousarray(array)."
        )


def _with_maps(kernel, values):
    """Put tensor maps in the place of their arrays, which the kernel keeps: a map does not."""
    given = list(zip(kernel.source.parameters, values, strict=True))
    kernel.mapped = [a for p, a in given if p.map]
    numbers = {p.name: a for p, a in given if not p.pointer}
    return tuple(_tensor_map(kernel, p, a, numbers) if p.map else a for p, a in given)


def _tensor_map(kernel, parameter, value, numbers):
    """Return the map of an array as the header's 'Maps:' says; a map is passed as it is."""
    if isinstance(value, np.void):
        return value
    from warpbook.launch.tensor_maps import tensor_map  # here: few kernels need it

    where, said = _where(kernel, parameter), parameter.map
    if not isinstance(value, (np.ndarray, cp.ndarray)):
        raise TypeError(
            f"{where} is a tensor map, but got {_kind(value)}. Pass its array, or "
            "tensor_map(array, box)."
        )
    defines = {name: header.number(text) for name, text in kernel.define_values().items()}
    try:
        box = header.evaluate(said.box, defines | numbers)
        return tensor_map(value, box, kind=said.kind, swizzle=said.swizzle)
    except ValueError as error:
        raise ValueError(
            f"{where}: no tensor map of this array in boxes {said.box}, as the header says: "
            f"{error}. Pass another array, or a map of your own: tensor_map(array, box)."
        ) from None


def _scalar(kernel, parameter, value):
    where = _where(kernel, parameter)
    dtype, width = kernel.types[parameter.name]
    if dtype is None and isinstance(value, (int, float)) and not isinstance(value, np.generic):
        number = f"np.{'float32' if isinstance(value, float) else 'uint32'}({value})"
        raise TypeError(
            f"{where} is declared {parameter.ctype}, whose size is not known here, but got "
            f"{_kind(value)}. Pass a NumPy number of that size and kind, such as {number}."
        )
    if dtype is None and isinstance(value, cp.ndarray) and value.ndim and not value.dtype.names:
        raise TypeError(
            f"{where} is declared {parameter.ctype}, but got an array of shape {value.shape}. "
            "Pass a struct by value, as a NumPy scalar of its bytes. For a tensor map pass "
            "tensor_map(array, box)."
        )
    if dtype is None or width > 1:
        return value  # a struct or a vector by value: passed as it is
    if isinstance(value, cp.ndarray) and value.ndim:
        raise TypeError(
            f"{where} is declared {parameter.ctype}, but got an array of shape {value.shape}. "
            f"The parameters are: {', '.join(p.name for p in kernel.source.parameters)}."
        )
    if not isinstance(value, (bool, int, float, np.number, np.bool_)):
        raise TypeError(f"{where} is declared {parameter.ctype}, but got {_kind(value)}.")
    if dtype.kind in "iu":
        if int(value) != value:
            raise TypeError(
                f"{where} is declared {parameter.ctype}, but got {value!r}. "
                "Round it yourself: int(...) or ceil_div(n, size)."
            )
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        if not low <= value <= high:
            raise ValueError(
                f"{where} is declared {parameter.ctype} ({low} to {high}), but got {value}. "
                "Use a smaller value, or declare the parameter long long."
            )
    return dtype.type(value)


def check_multiples(kernel, values):
    """Refuse a number that the header's 'Assumes:' wants to be a multiple of another."""
    given = {p.name: value for p, value in zip(kernel.source.parameters, values, strict=True)}
    for name, of in kernel.source.multiples.items():
        divisor = int(kernel.define_values().get(of, of))
        if given[name] % divisor:
            load = f"Load it with {of}=1" if of in kernel.source.defines else "Choose another"
            raise ValueError(
                f"{kernel.name}: {name} is {given[name]}, which has to be a multiple of "
                f"{divisor}, as its header says under 'Assumes:'. {load}."
            )


def define_text(value):
    """Write a define's value as -D takes it: True is 1."""
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)


def dtype_of(ctype, defines):
    """Return (NumPy dtype or None when unknown, values in one) of a C type's name: 3 of a float3.

    Its words may stand in any order, as in 'long unsigned int', and it may be one of namespace std.
    """
    ctype = re.sub(r"^(cuda::)?std::", "", defines.get(ctype, ctype))
    if ctype not in SCALARS:
        ctype = _in_order(ctype)
    vector = re.fullmatch(r"(\w+?)([1-4])", ctype)
    name, count = (vector[1], int(vector[2])) if vector else (ctype, 1)
    return (np.dtype(SCALARS[name]), count) if name in SCALARS else (None, 1)


def alignment(count, itemsize):
    """Return what a pointer to vectors of so many values has to be a multiple of, 1 for others."""
    return count * itemsize if count in (2, 4) else 1


def _in_order(ctype):
    """Return 'unsigned long' for 'long unsigned int'; what is no integer stays as it is."""
    words = ctype.split()
    if not words or set(words) - {"signed", "unsigned", "char", "short", "int", "long"}:
        return ctype
    sign = ["unsigned"] * ("unsigned" in words)
    return " ".join(sign + [w for w in words if w in ("char", "short", "long")]) or "int"


def _where(kernel, parameter):
    return f"{kernel.name}: argument '{parameter.name}'"


def _kind(value):
    if isinstance(value, np.ndarray):
        return f"a NumPy array of {value.dtype}"
    return f"{type(value).__name__} {value!r}"[:80]


def _remedy(array):
    if isinstance(array, np.ndarray):
        return "NumPy arrays live in the host's memory. Copy it to the GPU: cp.asarray(array)."
    return "Pass an array, such as cp.zeros(n, cp.float32)."


def _address(array):
    return array.data.ptr if GPU else array.ctypes.data

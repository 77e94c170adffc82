"""Arguments as texts, such as 'rand:f4:512x1024' for an array and '1024' for a number."""

import re
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from warpbook.launch import arguments

FORMS = """\
An array is KIND:DTYPE:SHAPE, such as rand:f4:1024 or zeros:i4:512x1024. The kinds:
  rand     random: floats from 0 to 1, integers from 0 to 255; rand:f4:1024:-1:1 sets the bounds
  index    random integers from 0 to below a bound, index:i4:1024:64
  arange   0, 1, 2, ...
  zeros, ones
  nan      poisoned: reading an element that no thread has written is a finding
A file (x.npy) is an array, too, and null is a null pointer.
DTYPE is NumPy's (f4, f8, f2, i4, u1, ...) or bf16, and may be left out where the kernel's own
declaration tells it. A number is a number, n=1024; a vector by value is p=1,2,3,4.
A struct by value is 'p={n=3,v=1:2:3,x=rand:f4:64}', a float** is 't=[rand:f4:64,null]', and a
tensor map is m=box:64x32:rand:f2:256x256, with a swizzle m=box:64x32:128B:rand:f2:256x256."""
KINDS = ("rand", "index", "arange", "zeros", "ones", "nan", "null")
BF16 = "bf16"
_ANY = ("void", "char", "unsigned char", "std::byte", "byte")  # pointers to these take any dtype


def type_of(ctype: str) -> tuple[str | None, int]:
    """Return ('f4', 'bf16', ... or None where it is not known, how many one value holds)."""
    if ctype in arguments.BFLOATS:
        return BF16, arguments.BFLOATS[ctype]
    dtype, width = arguments.dtype_of(ctype, {})
    return (None if dtype is None else dtype.str[1:] if dtype.kind != "b" else "?"), width


def array(
    text: str, where: str, ctype: str, rng: np.random.Generator
) -> tuple[np.ndarray | np.generic, bool]:
    """Return (the array that a text asks for, is it poisoned?); null gives a null pointer.

    where: the parameter, for messages; ctype: what its pointer points to.
    Raises ValueError or TypeError that says what to write.
    """
    wanted, width = type_of(ctype)
    if text == "null":
        return np.uint64(0), False
    if text.endswith(".npy"):
        made, given = _file(text, where), None
        poisoned = False
    else:
        kind, *rest = text.split(":")
        if kind not in KINDS:
            near = get_close_matches(kind, KINDS, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValueError(f"{where}: '{text}' is no array.{hint}\n{FORMS}")
        given = rest.pop(0) if rest and _is_dtype(rest[0]) else wanted
        if given is None:
            raise ValueError(
                f"{where}: '{text}' names no dtype, and {ctype} does not tell it. "
                f"Write {kind}:f4:{':'.join(rest) or '1024'}, with the dtype meant."
            )
        if not rest:
            raise ValueError(f"{where}: '{text}' has no shape. Write {kind}:{given}:1024.")
        shape, bounds = _shape(rest[0], where, text), [_number(b, where) for b in rest[1:]]
        made = _made(kind, given, shape, bounds, rng, where, text)
        poisoned = kind == "nan"
    check_type(made.dtype, given, wanted, where, ctype, text)
    if width > 1 and made.size % width:
        raise ValueError(
            f"{where}: each {ctype} holds {width} numbers, and {made.size:,} is no multiple."
        )
    return made, poisoned


def scalar(text: str, where: str, ctype: str, ptx_type: str, size: int) -> np.generic | bytes:
    """Return the number, the vector or the struct that a text asks for, as a launch passes it.

    ptx_type, size: the parameter's type ('u32') and its bytes in the PTX, for types not known here.
    Raises ValueError that says what to write.
    """
    if ":" in text:
        raise ValueError(f"{where} is a number ({ctype}), and '{text}' asks for an array.")
    if text.endswith(".npy"):
        raw = _file(text, where).tobytes()
        if len(raw) != size:
            raise ValueError(f"{where} has {size} bytes, and {text} has {len(raw)}.")
        return raw
    dtype, width = type_of(ctype)
    if dtype is None and ptx_type in ("f32", "f64"):
        dtype = f"f{size}"
    elif dtype is None and ptx_type[0] in "usb" and size == int(ptx_type[1:]) // 8:
        dtype = f"i{size}"
    if dtype is None:
        raise ValueError(
            f"{where} is declared {ctype}, which has {size} bytes: give its members, "
            "{n=3,a=1.5}, or a file with just these bytes, such as params.npy with a structured "
            "scalar."
        )
    numbers = [_number(part, where) for part in text.split(",")]
    if len(numbers) != width:
        wants = "one number" if width == 1 else f"{width} numbers, 1,2,..."
        raise ValueError(f"{where} is declared {ctype}: give {wants}, not '{text}'.")
    if dtype == BF16:
        return _bf16(np.array(numbers, np.float32)).tobytes()
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        if type_of(ctype)[0] is None:  # signed or not, nobody knows
            high = 2 ** (8 * size) - 1
        for number in numbers:
            if number != int(number) or not low <= number <= high:
                raise ValueError(
                    f"{where} is declared {ctype} ({low:,} to {high:,}), but got {number}."
                )
        mask = 2 ** (8 * kind.itemsize) - 1
        raw = b"".join((int(n) & mask).to_bytes(kind.itemsize, "little") for n in numbers)
        return np.frombuffer(raw, kind)[0] if width == 1 else raw
    values = np.array(numbers, kind)
    return values[0] if width == 1 else values.tobytes()


def _made(kind, given, shape, bounds, rng, where, text):
    if given == BF16:
        if kind in ("index", "nan"):
            kind = "rand" if kind == "index" else "nan"
        return _bf16(_made(kind, "f4", shape, bounds, rng, where, text))
    dtype = np.dtype(given)
    if kind in ("zeros", "ones", "arange", "nan") and bounds:
        raise ValueError(f"{where}: '{text}' has bounds, which {kind} does not take.")
    if kind == "zeros":
        return np.zeros(shape, dtype)
    if kind == "ones":
        return np.ones(shape, dtype)
    if kind == "arange":
        return np.arange(np.prod(shape, dtype=np.int64)).reshape(shape).astype(dtype)
    if kind == "nan":
        return np.full(
            shape,
            np.nan if dtype.kind in "fc" else True if dtype.kind == "b" else np.iinfo(dtype).max,
            dtype,
        )
    if kind == "index":
        if len(bounds) != 1 or bounds[0] < 1 or dtype.kind not in "iu":
            raise ValueError(
                f"{where}: write index:i4:SHAPE:BOUND for integers from 0 to below a bound."
            )
        return rng.integers(0, int(bounds[0]), shape, dtype=dtype)
    if len(bounds) not in (0, 2):
        raise ValueError(f"{where}: write rand:{given}:SHAPE:LOW:HIGH, with both bounds or none.")
    low, high = bounds or (0, 1 if dtype.kind == "f" else 255)
    if dtype.kind == "f":
        return (low + (high - low) * rng.random(shape)).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype)
    return rng.integers(
        max(int(low), info.min), min(int(high), info.max), shape, dtype=dtype, endpoint=True
    )


def _bf16(values):
    """bfloat16 as its bits: the upper half of a float32, rounded to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def check_type(made, given, wanted, where, ctype, text):
    """Refuse an array for a pointer to another type. made: its dtype; given, wanted: dtypes in text
    (given: None for an array that no text made); text: what asked for it.
    """
    if wanted is None or given == wanted or ctype in _ANY:
        return
    if wanted == BF16 and made == np.uint16:
        return
    if wanted == BF16 or made != np.dtype(wanted):
        has = given or made.str[1:]
        fix = text.replace(f":{given}:", f":{wanted}:") if given else f"an array of {wanted}"
        raise TypeError(f"{where} is declared {ctype}*, which is {wanted}, not {has}: write {fix}.")


def _file(text, where):
    try:
        made = np.load(Path(text), allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"{where}: {text} cannot be read: {error}") from None
    return np.ascontiguousarray(made)


def _is_dtype(text):
    if re.fullmatch(r"[\dx_]+", text):
        return False
    try:
        return text == BF16 or np.dtype(text).kind in "biuf"
    except TypeError:
        return False


def _shape(text, where, whole):
    parts = text.split("x")
    if not all(re.fullmatch(r"\d[\d_]*", part) and int(part) > 0 for part in parts):
        raise ValueError(
            f"{where}: '{text}' in '{whole}' is no dtype and no shape: write 1024 or 512x1024."
        )
    return tuple(map(int, parts))


def _number(text, where):
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return int(text, 0)
    except ValueError:
        try:
            return float(text.removesuffix("f"))
        except ValueError:
            raise ValueError(f"{where}: '{text}' is no number.") from None

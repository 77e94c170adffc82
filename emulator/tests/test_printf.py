"""printf as the C library of the host prints it, which is what a GPU's program calls."""

import ctypes
import ctypes.util
import math
import struct

import numpy as np
import pytest

from warpemu import Finding
from warpemu.ops import formats

NOT_ON_GPU = "its text passes Python by"
LIBC = ctypes.util.find_library("c")
FLAGS = ["", "", "-", "0", "+", " ", "#", "#0", "+0", "-0", "#-", "+ 0#"]
WIDTHS = ["", "", "1", "5", "9", "24"]
PRECISIONS = ["", "", ".", ".0", ".1", ".3", ".6", ".14", ".20"]
LENGTHS = {"": 4, "hh": 1, "h": 2, "l": 8, "ll": 8, "z": 8, "j": 8, "t": 8}


def libc(form, value):
    """What snprintf of the C library prints of one argument."""
    library, buffer = ctypes.CDLL(LIBC), ctypes.create_string_buffer(2000)
    library.snprintf.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]
    library.snprintf(buffer, ctypes.c_size_t(len(buffer)), form, value)
    return buffer.value


def ours(form, value):
    taken = {bytes: value, float: value, int: value}
    return formats.expand(form, lambda size: taken[int], lambda: value, lambda: value)


def numbers(rng):
    """Doubles: random bits, edges, and some that lie halfway in a few decimal or binary digits."""
    edges = [0.0, 1.0, 0.5, 1.5, 2.5, 0.1, 9.5, 99.95, 1e5, 999999.5, 1e15, 5e-324, 2.0**-1022]
    edges += [1.8, 1e300, math.inf, math.nan, 2.0**52 + 0.5, 2.0**-1022 - 2.0**-1074, 0.03125]
    random = [struct.unpack("d", rng.bytes(8))[0] for _ in range(60)]
    halves = [k / 16 for k in range(40)] + [1 + k / 4096 for k in range(40)]
    every = edges + random + halves
    return every + [-x for x in every]


def spec(rng, kind, length=""):
    drawn = (str(rng.choice(words)) for words in (FLAGS, WIDTHS, PRECISIONS))
    return f"<%{''.join(drawn)}{length}{kind}>".encode()


@pytest.mark.skipif(not LIBC, reason="there is no C library to ask")
def test_integers_as_libc(rng):
    edges = [0, 1, 7, 8, 255, 70000, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]
    for _ in range(4000):
        length = str(rng.choice(list(LENGTHS)))
        form = spec(rng, rng.choice(list("diouxX")), length)
        value = int(rng.integers(0, 2**64, dtype=np.uint64))
        value = int(rng.choice(edges)) if rng.random() < 0.5 else value >> int(rng.integers(64))
        value &= (1 << 8 * max(LENGTHS[length], 4)) - 1
        assert ours(form, value) == libc(form, ctypes.c_uint64(value)), (form, value)


@pytest.mark.skipif(not LIBC, reason="there is no C library to ask")
def test_floats_as_libc(rng):
    values = numbers(rng)
    for _ in range(6000):
        form, value = spec(rng, rng.choice(list("eEfFgGaA"))), values[rng.integers(len(values))]
        assert ours(form, value) == libc(form, ctypes.c_double(value)), (form, value)


@pytest.mark.skipif(not LIBC, reason="there is no C library to ask")
def test_texts_and_pointers_as_libc():
    for form in (b"%s|", b"%9s|", b"%-9s|", b"%.2s|", b"%7.1s|", b"%.s|", b"%.0s|"):
        assert ours(form, b"warp\xc3\xa9") == libc(form, ctypes.c_char_p(b"warp\xc3\xa9"))
    for form in (b"%c|", b"%4c|", b"%-4c|"):
        assert ours(form, 0x17A) == libc(form, ctypes.c_int(0x17A))
    for form in (b"%p|", b"%20p|", b"%-20p|"):
        for value in (0, 0x7F0012345678):
            assert ours(form, value) == libc(form, ctypes.c_void_p(value))
    assert ours(b"100%% %y %", 0) == b"100% %y %"


def test_arguments_of_all_sizes(compiled, capsys):
    k = compiled(r"""
    extern "C" __global__ void k(double x) {
        __shared__ char there[4];
        char here[4] = {'a', 'b', 'c', 0};
        there[0] = 'd'; there[1] = 0;
        printf("%#o %hd %hhx %05.3d [%.0d] %#x|%lld %zu %u\n", 15, 70000, 511, 7, 0, 0,
               -(1ll << 40), sizeof(int), -1);
        printf("%a %.2e %g %+G %5.1f %%|%c %-5s| %*d %-*.*f|\n", x, x, x, -x, x, 'z', "name",
               5, 42, 8, 2, x);
        printf("%s %s %p\n", here, there, (void*)0);
    }""")
    k.launch((1,), (1,), [np.float64(1.625)], not_on_gpu=NOT_ON_GPU)
    assert capsys.readouterr().out.splitlines() == [
        f"017 4464 ff   007 [] 0|{-(2**40)} 4 4294967295",
        "0x1.ap+0 1.62e+00 1.625 -1.625   1.6 %|z name |    42 1.62    |",
        "abc d (nil)",
    ]


@pytest.mark.parametrize(
    "pointer", ["(const char*)nullptr", "(const char*)out - 5000000000", "out"]
)
def test_a_string_that_is_none(compiled, pointer):
    k = compiled(
        """
    extern "C" __global__ void k(char* out) {
        if (threadIdx.x == 3) printf("%s", POINTER);
    }""".replace("POINTER", pointer)
    )
    with pytest.raises(Finding, match="as a string, and no string is there") as found:
        k.launch((1,), (32,), [np.ones(16, "u1")], not_on_gpu="a fault")
    assert (found.value.line, found.value.thread) == (3, (3, 0, 0))

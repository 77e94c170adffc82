"""8-bit floats, 4-bit integers, single bits and sparse matrices: conversions and tensor cores.

Where the fragments' elements are is written here as CUTLASS's CuTe writes it (mma_traits_sm80.hpp
and mma_traits_sm80_sparse.hpp; row + rows * column, strides of lane and element), so that it does
not come from the emulator's own formula. All floats are small multiples of 1/4, whose sums are
exact in any order.
"""

import numpy as np
import pytest

import warpemu

FORMATS = {"e4m3": (3, 7, 0x7E), "e5m2": (2, 15, 0x7B)}  # fraction bits, bias, largest number


def decode(bits, kind):
    """One 8-bit float by its definition."""
    fraction_bits, bias, largest = FORMATS[kind]
    sign, rest = (-1.0 if bits >> 7 else 1.0), bits & 0x7F
    exponent, fraction = rest >> fraction_bits, (rest & ((1 << fraction_bits) - 1))
    if rest > largest:
        return sign * np.inf if kind == "e5m2" and rest == 0x7C else np.nan
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - fraction_bits)
    return sign * (1 + fraction / 2**fraction_bits) * 2.0 ** (exponent - bias)


def nearest(values, kind):
    """The 8-bit floats nearest to values, by looking at each: ties to even, saturating."""
    with np.errstate(invalid="ignore"):  # NaN
        values = np.asarray(values, "f8")
    table = np.array([decode(bits, kind) for bits in range(FORMATS[kind][2] + 1)])
    size = np.minimum(np.abs(values), table[-1])
    distance = np.abs(np.where(np.isnan(size), 0, size)[:, None] - table)
    ties = distance == distance.min(axis=1)[:, None]
    even = ties & (np.arange(len(table)) % 2 == 0)
    bits = np.where(even.any(axis=1), even.argmax(axis=1), ties.argmax(axis=1))
    bits = bits | np.where(np.signbit(values), 0x80, 0)
    return np.where(np.isnan(values), 0x7F, bits).astype("u1")


# Conversions -----------------------------------------------------------------------------------
CONVERT = """
#include <cuda_fp8.h>
extern "C" __global__ void k(const float2* f, const __half2* h, const float2* r,
                             unsigned short* of, unsigned short* oh, unsigned short* relu) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    of[i] = __nv_cvt_float2_to_fp8x2(f[i], __NV_SATFINITE, KIND);
    oh[i] = __nv_cvt_halfraw2_to_fp8x2(h[i], __NV_SATFINITE, KIND);
    asm("cvt.rn.satfinite.relu.ASMx2.f32 %0, %1, %2;" : "=h"(relu[i]) : "f"(r[i].y), "f"(r[i].x));
}"""


@pytest.mark.parametrize("kind", FORMATS)
def test_to_8_bits(compiled, rng, kind):
    k = compiled(CONVERT.replace("KIND", f"__NV_{kind.upper()}").replace("ASM", kind))
    halves = np.arange(65536, dtype="u2").view("f2")
    bits = rng.integers(0, 2**32, 65536, dtype="u4")
    with np.errstate(invalid="ignore"):
        bits[::2] = halves[::2].astype("f4").view("u4") + rng.integers(-1, 2, 32768).astype("u4")
    floats = bits.view("f4")
    of, oh, relu = (np.zeros(65536, "u1") for _ in range(3))
    want = nearest(floats, kind)
    # whether .relu leaves a sign to what rounds to zero is not written down
    clamped = np.where(want & 0x7F == 0, np.abs(floats), floats)
    outs = [a.view("u2") for a in (of, oh, relu)]
    k.launch((128,), (256,), [floats, halves, clamped, *outs])
    assert (of == want).all() and (oh == nearest(halves, kind)).all()
    want = np.where((want > 0x80) & ~np.isnan(floats), 0, want)
    assert (relu == np.where(want == 0x80, 0, want)).all()


def test_to_8_bits_golden(compiled):
    """Values known from the formats' definition (OCP 8-bit floating point specification)."""
    k = compiled("""
    #include <cuda_fp8.h>
    extern "C" __global__ void k(const float* f, __nv_fp8_e4m3* a, __nv_fp8_e5m2* b, float* back) {
        int i = threadIdx.x;
        a[i] = __nv_fp8_e4m3(f[i]);
        b[i] = __nv_fp8_e5m2(f[i]);
        back[2 * i] = float(a[i]);
        back[2 * i + 1] = float(b[i]);
    }""")
    cases = {  # value: e4m3, e5m2
        1.0: (0x38, 0x3C),
        -1.5: (0xBC, 0xBE),
        448.0: (0x7E, 0x5F),
        464.0: (0x7E, 0x5F),
        480.0: (0x7E, 0x60),
        57344.0: (0x7E, 0x7B),
        1e9: (0x7E, 0x7B),
        -np.inf: (0xFE, 0xFB),
        np.nan: (0x7F, 0x7F),
        2.0**-9: (0x01, 0x18),
        2.0**-10: (0x00, 0x14),
        1.5 * 2.0**-9: (0x02, 0x1A),
        -(2.0**-16): (0x80, 0x81),
        2.0**-17: (0x00, 0x00),
        1.0625: (0x38, 0x3C),
        1.1875: (0x3A, 0x3D),
    }
    f = np.array(list(cases), "f4")
    a, b, back = np.zeros(len(f), "u1"), np.zeros(len(f), "u1"), np.zeros((len(f), 2), "f4")
    k.launch((1,), (len(f),), [f, a, b, back])
    for value, one, two, (first, second) in zip(f, a, b, back, strict=True):
        assert (one, two) == cases[float(value) if value == value else np.nan], value
        np.testing.assert_equal(first, decode(int(one), "e4m3"))
        np.testing.assert_equal(second, decode(int(two), "e5m2"))


@pytest.mark.parametrize("kind", FORMATS)
def test_from_8_bits(compiled, kind):
    k = compiled(
        """
    #include <cuda_fp8.h>
    extern "C" __global__ void k(const unsigned short* a, const unsigned short* r,
                                 unsigned* out, unsigned* relu) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        __half2_raw h = __nv_cvt_fp8x2_to_halfraw2(a[i], KIND);
        out[i] = h.x | (unsigned)h.y << 16;
        asm("cvt.rn.relu.f16x2.ASMx2 %0, %1;" : "=r"(relu[i]) : "h"(r[i]));
    }""".replace("KIND", f"__NV_{kind.upper()}").replace("ASM", kind)
    )
    a = np.arange(65536, dtype="u2")
    out, relu = np.zeros((65536, 2), "u2"), np.zeros((65536, 2), "u2")
    bytes = a.view("u1")
    no_minus_zero = np.where(bytes == 0x80, 0, bytes).astype("u1").view("u2")
    k.launch((256,), (256,), [a, no_minus_zero, out, relu])
    values = np.array([decode(bits, kind) for bits in range(256)])
    want = np.where(np.isnan(values), 0x7FFF, values.astype("f2").view("u2"))
    assert (out[:, 0] == want[a & 255]).all() and (out[:, 1] == want[a >> 8]).all()
    want[(values < 0) | (values == 0)] = 0
    assert (relu[:, 0] == want[a & 255]).all() and (relu[:, 1] == want[a >> 8]).all()


def test_relu_keeps_nan(compiled):
    """As the PTX manual says of cvt.relu, for halves too."""
    k = compiled("""
    extern "C" __global__ void k(const float* f, unsigned* out) {
        int i = threadIdx.x;
        asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(out[2 * i]) : "f"(f[i]), "f"(-f[i]));
        unsigned short h;
        asm("cvt.rn.relu.bf16.f32 %0, %1;" : "=h"(h) : "f"(f[i]));
        out[2 * i + 1] = h;
    }""")
    f, out = np.array([np.nan, 1.5, -2.5, np.inf], "f4"), np.zeros((4, 2), "u4")
    k.launch((1,), (4,), [f, out])
    assert out[:, 0].tolist() == [0x7FFF7FFF, 0x3E000000, 0x00004100, 0x7C000000]
    assert out[:, 1].tolist() == [0x7FFF, 0x3FC0, 0, 0x7F80]


def test_refused_conversions(compiled):
    text = """extern "C" __global__ void k(const float* f, unsigned* out) {
        asm("OPCODE %0, %1;" : "=r"(*out) : "TYPE"(*f));
    }"""
    for opcode in ("cvt.rn.satfinite.tf32.f32", "cvt.rn.relu.tf32.f32"):
        with pytest.raises(warpemu.EmulatorError, match="line 2: .* does not cover " + opcode):
            compiled(text.replace("OPCODE", opcode).replace("TYPE", "f"))


# Products --------------------------------------------------------------------------------------
# m16n8k32 of 4 bits: b is as the PTX manual says; CuTe's stride of its lanes is half of that.
LANES = (4, 8)
C16, C8 = ((32, 1), (2, 2), (16, 8)), ((16, 1), (2,), (8,))
DENSE = {  # (shape, bits of an element): lanes' strides, elements' extents and strides of a, of b
    ("m16n8k16", 8): (((64, 1), (4, 2), (16, 8)), ((32, 1), (4,), (8,))),
    ("m16n8k32", 8): (((64, 1), (4, 2, 2), (16, 8, 256)), ((32, 1), (4, 2), (8, 128))),
    ("m8n8k32", 4): (((64, 1), (8,), (8,)), ((64, 1), (8,), (8,))),
    ("m16n8k32", 4): (((128, 1), (8, 2), (16, 8)), ((64, 1), (8,), (8,))),
    ("m16n8k64", 4): (((128, 1), (8, 2, 2), (16, 8, 512)), ((64, 1), (8, 2), (8, 256))),
    ("m8n8k128", 1): (((256, 1), (32,), (8,)), ((256, 1), (32,), (8,))),
    ("m16n8k128", 1): (((512, 1), (32, 2), (16, 8)), ((256, 1), (32,), (8,))),
    ("m16n8k256", 1): (((512, 1), (32, 2, 2), (16, 8, 2048)), ((256, 1), (32, 2), (8, 1024))),
}
SPARSE = {  # a: all elements, of which a lane holds the half that is not zero; b; then the
    # metadata: extents of the lane's coordinates, their strides, bits and strides of its parts
    ("m16n8k16", 16): (
        ((64, 1), (4, 2), (16, 8)),
        ((16, 1), (2, 2), (8, 64)),
        ((4, 8), (0, 1), 16, (0, 8)),
    ),
    ("m16n8k32", 16): (
        ((64, 1), (4, 2, 2), (16, 8, 256)),
        ((16, 1), (2, 4), (8, 64)),
        ((2, 2, 8), (256, 0, 1), 16, (0, 8)),
    ),
    ("m16n8k8", 32): (
        ((32, 1), (2, 2), (16, 8)),
        ((8, 1), (2,), (32,)),
        ((4, 8), (0, 1), 16, (0, 8)),
    ),
    ("m16n8k16", 32): (
        ((32, 1), (2, 2, 2), (16, 8, 128)),
        ((8, 1), (4,), (32,)),
        ((2, 2, 8), (128, 0, 1), 16, (0, 8)),
    ),
    ("m16n8k32", 8): (
        ((128, 1), (8, 2), (16, 8)),
        ((32, 1), (4, 2), (8, 128)),
        ((2, 2, 8), (8, 0, 1), 32, (0,)),
    ),
    ("m16n8k64", 8): (
        ((128, 1), (8, 2, 2), (16, 8, 512)),
        ((32, 1), (4, 4), (8, 128)),
        ((2, 2, 8), (8, 512, 1), 32, (0,)),
    ),
    ("m16n8k64", 4): (
        ((256, 1), (16, 2), (16, 8)),
        ((64, 1), (8, 2), (8, 256)),
        ((2, 2, 8), (8, 0, 1), 32, (0,)),
    ),
    ("m16n8k128", 4): (
        ((256, 1), (16, 2, 2), (16, 8, 1024)),
        ((64, 1), (8, 4), (8, 256)),
        ((2, 2, 8), (8, 1024, 1), 32, (0,)),
    ),
}
WIDTH = {"e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
WIDTH |= {"f16": 16, "bf16": 16, "tf32": 32}


def coordinates(number, extents):
    """The mixed-radix digits of a number, lowest first."""
    digits = []
    for extent in extents:
        digits.append(number % extent)
        number //= extent
    return digits


def offset(number, extents, strides):
    pairs = zip(coordinates(number, extents), strides, strict=True)
    return sum(digit * stride for digit, stride in pairs)


def fragments(matrix, layout):
    """(32, elements) of a matrix, whose element i is matrix[i % rows, i // rows]."""
    lane_strides, extents, strides = layout
    flat = matrix.ravel(order="F")
    return np.array(
        [
            [
                flat[offset(lane, LANES, lane_strides) + offset(e, extents, strides)]
                for e in range(np.prod(extents))
            ]
            for lane in range(32)
        ]
    )


def registers(elements, kind):
    """(32, elements) of values -> (32, registers)."""
    if kind in FORMATS:
        bits = nearest(elements.ravel(), kind).reshape(elements.shape)
    elif kind == "f16":
        bits = elements.astype("f2").view("u2")
    elif kind in ("bf16", "tf32"):  # no bit of these values is lost in bf16
        bits = elements.astype("f4").view("u4") >> (16 if kind == "bf16" else 0)
    else:
        bits = elements.astype("i4") & ((1 << WIDTH[kind]) - 1)
    width = WIDTH[kind]
    per = 32 // width
    words = bits.astype("u8").reshape(32, -1, per) << (np.arange(per, dtype="u8") * width)
    return words.sum(axis=-1).astype("u4")


def numbers(rng, kind, shape):
    if kind in ("s8", "s4"):
        return rng.integers(-(1 << (WIDTH[kind] - 1)), 1 << (WIDTH[kind] - 1), shape)
    if kind in ("u8", "u4", "b1"):
        return rng.integers(0, 1 << WIDTH[kind], shape)
    return rng.integers(-7, 8, shape) / 4


def kernel(opcode, counts, c_type, tail=""):
    """A kernel of one mma: registers of a, b, c and metadata in, registers of d out."""
    na, nb, nc = counts
    x = "f" if c_type == "float" else "r"
    names = [f"%{i}" for i in range(2 * nc + na + nb)]
    d, a = names[:nc], names[nc : nc + na]
    b, c = names[nc + na : nc + na + nb], names[nc + na + nb :]
    text = ", ".join("{" + ", ".join(group) + "}" for group in (d, a, b, c))
    outs = ", ".join(f'"={x}"(D[{i}])' for i in range(nc))
    ins = [f'"r"(a[t * {na} + {i}])' for i in range(na)]
    ins += [f'"r"(b[t * {nb} + {i}])' for i in range(nb)]
    ins += [f'"{x}"(c[t * {nc} + {i}])' for i in range(nc)]
    if tail:
        tail = f", %{2 * nc + na + nb}, {tail}"
        ins.append('"r"(e[t])')
    return f"""
    extern "C" __global__ void k(const unsigned* a, const unsigned* b, const {c_type}* c,
                                 const unsigned* e, {c_type}* d) {{
        int t = threadIdx.x; {c_type} D[{nc}];
        asm volatile("{opcode} {text}{tail};" : {outs} : {", ".join(ins)});
        for (int i = 0; i < {nc}; i++) d[t * {nc} + i] = D[i];
    }}"""


def check(compiled, opcode, data, layouts, kinds, metadata=None, tail=""):
    """Launch one mma on matrices (a, b, c, want) and compare all of d."""
    a, b, c, want = data
    c_kind = kinds[2]
    words = [registers(a, kinds[0]), registers(fragments(b.T, layouts[0]), kinds[1])]
    old, new = fragments(c, layouts[1]), fragments(want, layouts[1])
    if c_kind == "f16":
        old, new = registers(old, "f16"), registers(new, "f16")
    dtype = {"f16": "u4", "f32": "f4", "s32": "i4"}[c_kind]
    c_type = {"f16": "unsigned", "f32": "float", "s32": "int"}[c_kind]
    old, new, d = old.astype(dtype), new.astype(dtype), np.zeros(new.shape, dtype)
    counts = words[0].shape[1], words[1].shape[1], old.shape[1]
    k = compiled(kernel(opcode, counts, c_type, tail))
    metadata = np.zeros(32, "u4") if metadata is None else metadata
    k.launch((1,), (32,), [*words, old, metadata, d])
    assert (d == new).all()
    return k


def accumulators(rng, c_kind, m):
    if c_kind == "s32":
        return rng.integers(-1000, 1000, (m, 8))
    return rng.integers(-99, 100, (m, 8)) / 16


@pytest.mark.parametrize(
    "shape, a_kind, b_kind, c_kind",
    [
        ("m16n8k32", "e4m3", "e4m3", "f32"),
        ("m16n8k32", "e5m2", "e4m3", "f32"),
        ("m16n8k32", "e4m3", "e5m2", "f16"),
        ("m16n8k16", "e5m2", "e5m2", "f32"),
        ("m16n8k16", "e4m3", "e4m3", "f16"),
        ("m8n8k32", "s4", "s4", "s32"),
        ("m8n8k32", "u4", "s4", "s32"),
        ("m16n8k32", "s4", "u4", "s32"),
        ("m16n8k32", "s4", "s4", "s32"),
        ("m16n8k64", "u4", "u4", "s32"),
        ("m16n8k64", "s4", "s4", "s32"),
    ],
)
def test_dense(compiled, rng, shape, a_kind, b_kind, c_kind):
    m, k_size = int(shape[1:].split("n")[0]), int(shape.split("k")[1])
    a, b = numbers(rng, a_kind, (m, k_size)), numbers(rng, b_kind, (k_size, 8))
    c = accumulators(rng, c_kind, m)
    a_layout, b_layout = DENSE[shape, WIDTH[a_kind]]
    opcode = f"mma.sync.aligned.{shape}.row.col.{c_kind}.{a_kind}.{b_kind}.{c_kind}"
    check(
        compiled,
        opcode,
        (fragments(a, a_layout), b, c, a @ b + c),
        (b_layout, C16 if m == 16 else C8),
        (a_kind, b_kind, c_kind),
    )


@pytest.mark.parametrize("shape", ["m8n8k32", "m16n8k32", "m16n8k64"])
@pytest.mark.parametrize("saturating", [False, True])
def test_overflow_of_4_bits(compiled, rng, shape, saturating):
    """All of one sign, at the edge of int32: clamped with .satfinite, wrapped without."""
    m, k_size = int(shape[1:].split("n")[0]), int(shape.split("k")[1])
    a, b = rng.integers(1, 8, (m, k_size)), rng.integers(1, 8, (k_size, 8))
    sign = np.where(np.arange(8) % 2, -1, 1)
    b, c = b * sign, np.broadcast_to((2**31 - 50) * sign, (m, 8))
    total = a @ b + c
    assert (np.abs(total) > 2**31).any()
    want = np.clip(total, -(2**31), 2**31 - 1) if saturating else (total + 2**31) % 2**32 - 2**31
    a_layout, b_layout = DENSE[shape, 4]
    word = ".satfinite" if saturating else ""
    check(
        compiled,
        f"mma.sync.aligned.{shape}.row.col{word}.s32.s4.s4.s32",
        (fragments(a, a_layout), b, c, want),
        (b_layout, C16 if m == 16 else C8),
        ("s4", "s4", "s32"),
    )


@pytest.mark.parametrize("shape", ["m8n8k128", "m16n8k128", "m16n8k256"])
@pytest.mark.parametrize("word", ["xor", "and"])
def test_bits(compiled, rng, shape, word):
    m, k_size = int(shape[1:].split("n")[0]), int(shape.split("k")[1])
    a, b = numbers(rng, "b1", (m, k_size)), numbers(rng, "b1", (k_size, 8))
    c = accumulators(rng, "s32", m)
    both = (a[:, :, None] ^ b) if word == "xor" else (a[:, :, None] & b)
    a_layout, b_layout = DENSE[shape, 1]
    check(
        compiled,
        f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{word}.popc",
        (fragments(a, a_layout), b, c, both.sum(axis=1) + c),
        (b_layout, C16 if m == 16 else C8),
        ("b1", "b1", "s32"),
    )


def test_a_value_of_each_8_bits(compiled, rng):
    """All 256 patterns of e5m2, infinity and NaN too, against ones: within the emulator only, for
    the sums are not exact."""
    a, b = np.arange(512).reshape(16, 32) % 256, np.ones((32, 8))
    values = np.array([decode(bits, "e5m2") for bits in range(256)])[a]
    a_layout, b_layout = DENSE["m16n8k32", 8]
    words = fragments(a, a_layout).astype("u1").view("u4")
    ones = registers(fragments(b.T, b_layout), "e4m3")
    opcode = "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32"
    d = np.zeros((32, 4), "f4")
    k = compiled(kernel(opcode, (4, 2, 4), "float"), arch="compute_89")
    arguments = [words, ones, np.zeros((32, 4), "f4"), np.zeros(32, "u4"), d]
    k.launch((1,), (32,), arguments, not_on_gpu="the order of the sums")
    want = np.broadcast_to(values.sum(axis=1, keepdims=True), (16, 8))
    np.testing.assert_allclose(d, fragments(want, C16), rtol=1e-5)


# Sparse a --------------------------------------------------------------------------------------
def sparse_matrix(rng, kind, k_size, swapped):
    """(a, chosen): a row of chosen is the columns of what is left of that row of a, in the order
    in which the registers hold them; swapped: not always the lower first."""
    a = numbers(rng, kind, (16, k_size))
    out_of = 2 if kind == "tf32" else 4
    run = 2 if kind in ("s4", "u4") else 1  # that stay or go together
    chosen = np.zeros((16, k_size // 2), int)
    for row in range(16):
        for first in range(0, k_size, out_of * run):
            left = rng.permutation(out_of)[: out_of // 2]
            left = left if swapped else np.sort(left)
            columns = first + (left[:, None] * run + np.arange(run)).ravel()
            chosen[row, first // 2 : first // 2 + len(columns)] = columns
            a[row, [c for c in range(first, first + out_of * run) if c not in columns]] = 0
    return a, chosen


def held(a, chosen, layout, kind):
    """The fragments of a, whose layout is that of all its elements."""
    columns = np.broadcast_to(np.arange(a.shape[1]), a.shape)
    rows = np.broadcast_to(np.arange(16)[:, None], a.shape)
    row, column = fragments(rows, layout), fragments(columns, layout)
    result = np.zeros((32, row.shape[1] // 2))
    for lane in range(32):
        for e in range(0, row.shape[1], 2):  # each two of the elements: one that is held
            result[lane, e // 2] = a[row[lane, e], chosen[row[lane, e], column[lane, e] // 2]]
    return result


def described(chosen, kind, layout, selector):
    """The metadata of the 32 lanes; those that the selector does not name have nonsense."""
    extents, strides, width, parts = layout
    words = np.full(32, 0xF0F0F0F0, "u8")
    pairs = len(extents) == 3 and strides[1] == 0
    run = 2 if kind in ("s4", "u4") else 1
    for lane in range(32):
        place = coordinates(lane, extents)
        if (len(extents) == 2 and place[0] != selector) or (pairs and place[1] != selector):
            continue
        words[lane] = 0
        for n, part in enumerate(parts):
            start = offset(lane, extents, strides) + part
            row, first = start % 16, start // 16
            for bit in range(0, width, 4):
                four = first + (bit // 2 if kind == "tf32" else bit * run)
                ours = chosen[row, four // 2]
                if kind == "tf32":
                    code = 0b1110 if ours % 2 else 0b0100
                else:
                    second = chosen[row, four // 2 + run]
                    code = (ours - four) // run | (second - four) // run << 2
                words[lane] |= np.uint64(code << (bit + n * width))
    return words.astype("u4")


CASES = [
    ("m16n8k16", "f16", "f16", "f32", 4),
    ("m16n8k16", "f16", "f16", "f16", 1),
    ("m16n8k16", "bf16", "bf16", "f32", 4),
    ("m16n8k32", "f16", "f16", "f32", 2),
    ("m16n8k32", "f16", "f16", "f16", 2),
    ("m16n8k32", "bf16", "bf16", "f32", 2),
    ("m16n8k8", "tf32", "tf32", "f32", 4),
    ("m16n8k16", "tf32", "tf32", "f32", 2),
    ("m16n8k32", "s8", "s8", "s32", 2),
    ("m16n8k32", "u8", "s8", "s32", 1),
    ("m16n8k64", "s8", "s8", "s32", 1),
    ("m16n8k64", "s8", "u8", "s32", 1),
    ("m16n8k64", "e4m3", "e4m3", "f32", 1),
    ("m16n8k64", "e5m2", "e4m3", "f32", 1),
    ("m16n8k64", "s4", "s4", "s32", 2),
    ("m16n8k64", "u4", "s4", "s32", 2),
    ("m16n8k128", "s4", "s4", "s32", 1),
    ("m16n8k128", "s4", "u4", "s32", 1),
]


@pytest.mark.parametrize("shape, a_kind, b_kind, c_kind, selectors", CASES)
@pytest.mark.parametrize("variant", ["sp::ordered_metadata", "sp"])
def test_sparse(compiled, rng, shape, a_kind, b_kind, c_kind, selectors, variant):
    k_size = int(shape.split("k")[1])
    a, chosen = sparse_matrix(rng, a_kind, k_size, swapped=variant == "sp")
    b, c = numbers(rng, b_kind, (k_size, 8)), accumulators(rng, c_kind, 16)
    a_layout, b_layout, e_layout = SPARSE[shape, WIDTH[a_kind]]
    for selector in range(selectors):
        check(
            compiled,
            f"mma.{variant}.sync.aligned.{shape}.row.col.{c_kind}.{a_kind}.{b_kind}.{c_kind}",
            (held(a, chosen, a_layout, a_kind), b, c, a @ b + c),
            (b_layout, C16),
            (a_kind, b_kind, c_kind),
            described(chosen, a_kind, e_layout, selector),
            str(selector),
        )


def test_sparse_golden(compiled):
    """A row written out by hand: a[1] = 10, a[3] = 20 of the first four columns of row 0, in the
    registers of lane 0, with 0b1101 in the lowest bits of lane 0's metadata."""
    opcode = "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    k = compiled(kernel(opcode, (2, 2, 4), "float", "0"))
    a, e = np.zeros((32, 2, 2), "f2"), np.full(32, 0x44444444, "u4")
    a[0, 0] = [10, 20]
    e[0] = 0x4444444D
    b, d = np.zeros((32, 2, 2), "f2"), np.zeros((32, 4), "f4")
    b[0, 0], b[1, 0] = [1, 2], [3, 4]  # column 0 of b is 1, 2, 3, 4
    k.launch((1,), (32,), [a, b, np.zeros((32, 4), "f4"), e, d])
    assert d[0].tolist() == [10 * 2 + 20 * 4, 0, 0, 0] and not d[1:].any()


SP, ORDERED = "mma.sp.sync.aligned", "mma.sp::ordered_metadata.sync.aligned"


@pytest.mark.parametrize(
    "opcode, good, bad, says",
    [
        (f"{SP}.m16n8k16.row.col.f32.f16.f16.f32", 0x44444444, 0b0101, "0b0101"),
        (f"{ORDERED}.m16n8k16.row.col.f32.f16.f16.f32", 0x44444444, 0b0001, "0b0001"),
        (f"{ORDERED}.m16n8k8.row.col.f32.tf32.tf32.f32", 0x4E4E4E4E, 0b1100, "0b1100"),
    ],
)
def test_undefined_metadata(compiled, opcode, good, bad, says):
    k = compiled(kernel(opcode, (2, 2, 4), "float", "2"))
    e = np.full(64, good, "u4")
    e[3::4] = 0  # of lanes that the selector does not name
    e[46] ^= (good & 15) ^ bad
    a, b, d = np.zeros((64, 2), "u4"), np.zeros((64, 2), "u4"), np.zeros((64, 4), "f4")
    with pytest.raises(warpemu.Finding, match=f"metadata says {says} .* 0b1110") as caught:
        k.launch((1,), (64,), [a, b, np.zeros((64, 4), "f4"), e, d])
    assert caught.value.kind == "undefined sparsity metadata" and caught.value.thread == (46, 0, 0)


DENSE_OP = "mma.sync.aligned"


@pytest.mark.parametrize(
    "opcode, counts, c_type, tail, why",
    [
        (f"{SP}.m16n8k128.row.col.s32.u4.u4.s32", (4, 4, 4), "int", "1", "selector"),
        (f"{SP}.m16n8k32.row.col.f32.f16.f16.f32", (4, 4, 4), "float", "2", "selector"),
        (f"{DENSE_OP}.m16n8k32.row.col.f32.e4m3.f16.f32", (4, 2, 4), "float", "", "together"),
        (f"{DENSE_OP}.m16n8k64.row.col.s32.s8.s8.s32", (4, 2, 4), "int", "", "shape and type"),
        (f"{DENSE_OP}.m16n8k256.row.col.s32.b1.b1.s32", (4, 2, 4), "int", "", "operation"),
        (f"{DENSE_OP}.m16n8k32.row.col.f32.e2m1.e2m1.f32", (4, 2, 4), "float", "", "e2m1"),
    ],
)
def test_refused(compiled, opcode, counts, c_type, tail, why):
    with pytest.raises(warpemu.EmulatorError, match=f"line 5: .*cover.*{why}"):
        compiled(kernel(opcode, counts, c_type, tail))

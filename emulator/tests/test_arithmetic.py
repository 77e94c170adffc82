"""Arithmetic against NumPy: bit for bit for integers and IEEE operations."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import fractions
import math
from math import erf

import numpy as np
import pytest

N = 512


def elementwise(compiled, ctype, expressions, *arrays, out="float", head="", rtol=0):
    """One output per expression in a, b, c."""
    names = "abc"[: len(arrays)]
    declared = ", ".join(f"const {t}* {n}_" for n, t in zip(names, ctype, strict=True))
    loads = " ".join(f"{t} {n} = {n}_[i];" for n, t in zip(names, ctype, strict=True))
    stores = " ".join(f"out[{k} * {N} + i] = {e};" for k, e in enumerate(expressions))
    text = f"""{head}
    extern "C" __global__ void k({declared}, {out}* out) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; {loads} {stores} }}"""
    dtype = {
        "float": "f4",
        "double": "f8",
        "int": "i4",
        "unsigned": "u4",
        "long long": "i8",
        "unsigned long long": "u8",
        "short": "i2",
        "unsigned char": "u1",
    }[out]
    result = np.zeros((len(expressions), N), dtype)
    compiled(text).launch((N // 128,), (128,), [*arrays, result], rtol=rtol)
    return result


def integers(rng, dtype):
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, N, dtype, endpoint=True)
    values[:8] = [0, 1, 2, 3, info.max, info.min, info.max - 1, info.min + 1]
    return values


def floats(rng, dtype):
    # not by powers of ten, which NumPy computes another way on another CPU
    values = np.ldexp(rng.standard_normal(N), rng.integers(-66, 67, N)).astype(dtype)
    values[:10] = [
        0.0,
        -0.0,
        1,
        -1,
        np.inf,
        -np.inf,
        np.nan,
        np.finfo(dtype).tiny,
        np.finfo(dtype).tiny / 4,
        3,
    ]
    return values


def same(got, want):
    """Equal bits, any NaN equal to any other."""
    got = np.asarray(got)
    want = (
        np.array(want, got.dtype) if isinstance(want, list) else np.asarray(want).astype(got.dtype)
    )
    ok = (
        (got == want) & (np.signbit(got) == np.signbit(want)) | (np.isnan(got) & np.isnan(want))
        if got.dtype.kind == "f"
        else got == want
    )
    assert ok.all(), [(k, got[k], want[k]) for k in np.argwhere(~ok)[:5].reshape(-1)]


@pytest.mark.parametrize(
    "dtype, ctype",
    [("i4", "int"), ("u4", "unsigned"), ("i8", "long long"), ("u8", "unsigned long long")],
)
def test_integers(compiled, rng, dtype, ctype):
    a, b = integers(rng, np.dtype(dtype).type), integers(rng, np.dtype(dtype).type)
    rng.shuffle(b)
    b[b == 0] = 7
    bits = 8 * a.itemsize
    # min / -1 overflows, in C++ as in NumPy: keep away from it.
    b[(b.astype("i8") == -1)] = 5
    s = (b & (bits - 1)).astype(dtype)
    got = elementwise(
        compiled,
        [ctype] * 3,
        [
            "a + b",
            "a - b",
            "a * b",
            "a & b",
            "a | b",
            "a ^ b",
            "~a",
            "-a",
            "a << c",
            "a >> c",
            "a < b ? a : b",
            "max(a, b)",
            "a / b",
            "a % b",
            "a == b",
            "a <= b",
            "a > 0 && b > 100",
        ],
        a,
        b,
        s,
        out=ctype,
    )
    with np.errstate(all="ignore"):
        quotient = np.array(
            [
                int(x) // int(y) if (x < 0) == (y < 0) else -(abs(int(x)) // abs(int(y)))
                for x, y in zip(a, b, strict=True)
            ],
            dtype="O",
        )
        quotient = quotient.astype(dtype)
        want = [
            a + b,
            a - b,
            a * b,
            a & b,
            a | b,
            a ^ b,
            ~a,
            -a,
            a << s,
            a >> s,
            np.minimum(a, b),
            np.maximum(a, b),
            quotient,
            a - quotient * b,
            a == b,
            a <= b,
            (a > 0) & (b > 100),
        ]
    for g, w in zip(got, want, strict=True):
        same(g, w)


def test_integer_intrinsics(compiled, rng):
    a, b = integers(rng, np.uint32), integers(rng, np.uint32)
    got = elementwise(
        compiled,
        ["unsigned"] * 2,
        [
            "__popc(a)",
            "__clz(a)",
            "__brev(a)",
            "__ffs(a)",
            "__umulhi(a, b)",
            "__mulhi((int)a, (int)b)",
            "__byte_perm(a, b, 0x5140)",
            "__funnelshift_l(a, b, 9)",
            "__funnelshift_r(a, b, b)",
            "__usad(a, b, 5u)",
            "(a >> 5) & 255",
            "__umul24(a, b)",
            "abs((int)a)",
            "a / 10",
            "a % 7",
            "__dp4a((int)a, (int)b, 3)",
            "a << (b & 63 ? 40 : 3)",
        ],
        a,
        b,
        out="unsigned",
    )
    popcount = np.array([bin(x).count("1") for x in a])
    wide = a.astype("u8") * b
    signed = a.view("i4").astype("i8") * b.view("i4")
    pair = (a.astype("u8")) | b.astype("u8") << np.uint64(32)
    same(got[0], popcount)
    same(got[1], [32 - int(x).bit_length() for x in a])
    same(got[2], [int(f"{x:032b}"[::-1], 2) for x in a])
    same(got[3], [(int(x) & -int(x)).bit_length() for x in a])
    same(got[4], wide >> np.uint64(32))
    same(got[5], (signed >> 32).astype("i4").view("u4"))
    octets = np.stack([a, b], axis=1).view("u1")
    same(got[6], octets[:, [0, 4, 1, 5]].copy().view("u4")[:, 0])
    same(got[7], (pair >> np.uint64(23)).astype("u4"))
    same(got[8], (pair >> (b & 31).astype("u8")).astype("u4"))
    same(got[9], np.maximum(a, b) - np.minimum(a, b) + 5)
    same(got[10], (a >> 5) & 255)
    same(got[11], ((a & 0xFFFFFF).astype("u8") * (b & 0xFFFFFF)).astype("u4"))
    same(got[12], np.abs(a.view("i4")).view("u4"))
    same(got[13], a // 10)
    same(got[14], a % 7)
    same(
        got[15],
        (a.view("i1").reshape(-1, 4).astype("i4") * b.view("i1").reshape(-1, 4))
        .sum(1)
        .astype("i4")
        .view("u4")
        + 3,
    )


def test_64_bit_intrinsics(compiled, rng):
    a, b = integers(rng, np.uint64), integers(rng, np.uint64)
    got = elementwise(
        compiled,
        ["unsigned long long"] * 2,
        [
            "__popcll(a)",
            "__clzll(a)",
            "__brevll(a)",
            "__umul64hi(a, b)",
            "__mul64hi((long long)a, (long long)b)",
            "a / (b | 1)",
            "a << (b & 63)",
        ],
        a,
        b,
        out="unsigned long long",
    )
    same(got[0], [bin(x).count("1") for x in a])
    same(got[1], [64 - int(x).bit_length() for x in a])
    same(got[2], [int(f"{x:064b}"[::-1], 2) for x in a])
    same(got[3], [int(x) * int(y) >> 64 for x, y in zip(a, b, strict=True)])
    same(
        got[4],
        [(int(x) * int(y) >> 64) % 2**64 for x, y in zip(a.view("i8"), b.view("i8"), strict=True)],
    )
    same(got[5], a // (b | np.uint64(1)))
    same(got[6], a << (b & np.uint64(63)))


@pytest.mark.parametrize("dtype, ctype", [("f4", "float"), ("f8", "double")])
def test_ieee(compiled, rng, dtype, ctype):
    a, b = floats(rng, dtype), floats(rng, dtype)
    rng.shuffle(b)
    suffix = "f" if ctype == "float" else ""
    got = elementwise(
        compiled,
        [ctype] * 2,
        [
            "a + b",
            "a - b",
            "a * b",
            "a / b",
            f"sqrt{suffix}(a)",
            f"fabs{suffix}(a)",
            "-a",
            f"fmin{suffix}(a, b)",
            f"fmax{suffix}(a, b)",
            f"floor{suffix}(a)",
            f"rint{suffix}(a)",
            "a < b",
            "a != b",
            "a >= b",
            "!(a < b)",
        ],
        a,
        b,
        out=ctype,
    )
    with np.errstate(all="ignore"):
        want = [
            a + b,
            a - b,
            a * b,
            a / b,
            np.sqrt(a),
            np.abs(a),
            -a,
            np.fmin(a, b),
            np.fmax(a, b),
            np.floor(a),
            np.rint(a),
            a < b,
            a != b,
            a >= b,
            ~(a < b),
        ]
    for g, w in zip(got, want, strict=True):
        same(g, w)


def exact(value, dtype):
    """The Fraction rounded to nearest even in dtype."""
    wide = np.float64(float(value)) if dtype == "f8" else None
    if dtype == "f8":
        return wide
    near = np.float32(float(value))
    candidates = [
        np.nextafter(near, np.float32(-np.inf)),
        near,
        np.nextafter(near, np.float32(np.inf)),
    ]
    return min(
        candidates, key=lambda c: (abs(fractions.Fraction(float(c)) - value), int(c.view("u4")) & 1)
    )


@pytest.mark.parametrize("dtype, ctype, name", [("f4", "float", "fmaf"), ("f8", "double", "fma")])
def test_fma_rounds_once(compiled, rng, dtype, ctype, name):
    bits = 12 if dtype == "f4" else 27
    # Products near halfway cases, with a small addend that decides: rounding twice gets these wrong.
    a = (1 + rng.integers(0, 2**bits, N) * 2.0**-bits).astype(dtype)
    b = (1 + rng.integers(0, 2**bits, N) * 2.0**-bits).astype(dtype)
    c = (rng.choice([-1, 1], N) * 2.0 ** rng.integers(-80, 3, N)).astype(dtype)
    got = elementwise(compiled, [ctype] * 3, [f"{name}(a, b, c)"], a, b, c, out=ctype)[0]
    F = fractions.Fraction
    same(
        got,
        [
            exact(F(float(x)) * F(float(y)) + F(float(z)), dtype)
            for x, y, z in zip(a, b, c, strict=True)
        ],
    )


def test_fma_of_subnormal_results(compiled, rng):
    a = (1 + rng.random(N)).astype("f4")
    b = ((1 + rng.random(N)) * 2.0**-126).astype("f4")
    c = (-(1 + rng.random(N)) * 2.0**-126).astype("f4")
    got = elementwise(compiled, ["float"] * 3, ["fmaf(a, b * 0.03125f, c * 0.0625f)"], a, b, c)[0]
    F = fractions.Fraction
    b, c = b * np.float32(0.03125), c * np.float32(0.0625)
    want = [
        exact(F(float(x)) * F(float(y)) + F(float(z)), "f4")
        for x, y, z in zip(a, b, c, strict=True)
    ]
    same(got, want)


def test_rounding_modes(compiled, rng):
    a = rng.standard_normal(N).astype("f4")
    b = (rng.standard_normal(N) * 1e-3).astype("f4")
    names = [f"__f{op}_{mode}(a, b)" for op in ("add", "mul", "div") for mode in ("rd", "ru", "rz")]
    names += [f"__fsqrt_{m}(fabsf(a))" for m in ("rd", "ru", "rz")]
    got = elementwise(compiled, ["float"] * 2, names, a, b)
    F = fractions.Fraction
    for k, (lower, upper, zero) in enumerate(zip(got[0:9:3], got[1:9:3], got[2:9:3], strict=True)):
        for x, y, lo, hi, z in zip(a, b, lower, upper, zero, strict=True):
            x, y = F(float(x)), F(float(y))
            value = (x + y, x * y, x / y)[k]
            assert F(float(lo)) <= value <= F(float(hi))
            assert lo == hi or np.nextafter(lo, np.float32(np.inf)) == hi
            assert z == (lo if value > 0 else hi)
    lo, hi, z = got[9:]
    assert (
        (lo.astype("f8") ** 2 <= np.abs(a)).all()
        and (hi.astype("f8") ** 2 >= np.abs(a)).all()
        and (lo == z).all()
    )


def test_mathematical_functions(compiled, rng):
    """libm's code is run as it is, over exact arithmetic: within 2 ulps of the true value."""
    a = rng.uniform(0.1, 30, N).astype("f4")
    names = [
        "expf(a - 15)",
        "logf(a)",
        "sinf(a)",
        "cosf(a * 1e5f)",
        "tanhf(a - 15)",
        "powf(a, 1.7f)",
        "rsqrtf(a)",
        "atanf(a)",
        "erff(a * 0.1f)",
        "cbrtf(a)",
        "log2f(a)",
        "exp2f(a - 15)",
    ]
    got = elementwise(compiled, ["float"], names, a, rtol=1e-5)
    x = a.astype("f8")
    big = (a * np.float32(1e5)).astype("f8")
    small = (a * np.float32(0.1)).astype("f8")
    less = (a - np.float32(15)).astype("f8")
    want = [
        np.exp(less),
        np.log(x),
        np.sin(x),
        np.cos(big),
        np.tanh(less),
        x ** float(np.float32(1.7)),
        1 / np.sqrt(x),
        np.arctan(x),
        np.array([erf(v) for v in small]),
        np.cbrt(x),
        np.log2(x),
        np.exp2(less),
    ]
    for name, g, w in zip(names, got, want, strict=True):
        ulps = np.abs(g - w) / np.spacing(np.abs(w).astype("f4"))
        assert ulps.max() < 4, (name, ulps.max())


def test_double_functions(compiled, rng):
    a = rng.uniform(0.1, 30, N)
    got = elementwise(
        compiled,
        ["double"],
        ["exp(a)", "log(a)", "sin(a)", "pow(a, 1.7)", "1 / a", "rsqrt(a)", "sin(a * 1e9)"],
        a,
        out="double",
        rtol=1e-12,
    )
    want = [np.exp(a), np.log(a), np.sin(a), a**1.7, 1 / a, 1 / np.sqrt(a), np.sin(a * 1e9)]
    for g, w in zip(got, want, strict=True):
        assert (np.abs(g - w) <= 3 * np.spacing(np.abs(w))).all()


def test_fast_math(compiled, rng):
    a = rng.uniform(0.1, 3, N).astype("f4")
    got = elementwise(
        compiled,
        ["float"],
        [
            "__expf(a)",
            "__sinf(a)",
            "__cosf(a)",
            "__logf(a)",
            "__fdividef(1, a)",
            "__powf(a, 2)",
            "__saturatef(a)",
            "__frcp_rn(a)",
        ],
        a,
        rtol=1e-5,
    )
    want = [np.exp(a), np.sin(a), np.cos(a), np.log(a), 1 / a, a**2, np.minimum(a, 1), 1 / a]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=2e-6, atol=2e-7)


def clamp(values):
    """Numbers to int32: to its range, NaN to 0."""
    return np.where(np.isnan(values), 0, np.clip(values, -(2**31), 2**31 - 1)).astype("i4")


def test_conversions(compiled, rng):
    a = np.ldexp(rng.standard_normal(N), rng.integers(-7, 38, N)).astype("f4")
    a[:9] = [0.5, 1.5, -0.5, -1.5, np.nan, np.inf, -np.inf, 3e9, -3e9]
    got = elementwise(
        compiled,
        ["float"],
        [
            "(int)a",
            "__float2int_rn(a)",
            "__float2int_rd(a)",
            "__float2int_ru(a)",
            "(int)(unsigned)a",
            "(signed char)(int)fminf(fmaxf(a, -100), 100)",
            "(unsigned short)(int)a",
            "(int)(long long)a",
        ],
        a,
        out="int",
    )
    with np.errstate(all="ignore"):
        x = a.astype("f8")
        same(got[0], clamp(np.trunc(x)))
        same(got[1], clamp(np.rint(x)))
        same(got[2], clamp(np.floor(x)))
        same(got[3], clamp(np.ceil(x)))
        same(
            got[4],
            np.where(np.isnan(x), 0, np.clip(np.trunc(x), 0, 2**32 - 1)).astype("u4").view("i4"),
        )
        same(got[5], np.trunc(np.fmin(np.fmax(x, -100), 100)).astype("i4"))
        same(got[6], clamp(np.trunc(x)).astype("u2"))
    n = integers(rng, np.int64)
    got = elementwise(
        compiled,
        ["long long"],
        [
            "(float)a",
            "__ll2float_rz(a)",
            "__ll2float_rd(a)",
            "(float)(unsigned long long)a",
            "(float)(int)a",
        ],
        n,
    )
    same(got[0], n.astype("f4"))
    F = fractions.Fraction
    for v, rn, rz, rd in zip(n.tolist(), *got[:3], strict=True):
        assert (
            F(float(rd)) <= v
            and abs(F(float(rz))) <= abs(v)
            and F(float(rn)) in (F(float(rz)), F(float(rd)))
            or v > 0
        )
    same(got[3], n.view("u8").astype("f4"))
    same(got[4], n.astype("i4").astype("f4"))
    d = floats(rng, "f8")
    got = elementwise(
        compiled, ["double"], ["(float)a", "(float)(double)(long long)a", "__double2float_rz(a)"], d
    )
    with np.errstate(all="ignore"):
        same(got[0], d.astype("f4"))


def nearest(value, type):
    """The Fraction rounded to nearest even in a 16-bit type, as a float."""
    digits, lowest = {"half": (11, -24), "__nv_bfloat16": (8, -133)}[type]
    if value == 0:
        return 0.0
    high, low = abs(value.numerator).bit_length(), value.denominator.bit_length()
    exponent = high - low - (abs(value) < fractions.Fraction(2) ** (high - low))
    step = fractions.Fraction(2) ** max(exponent - digits + 1, lowest)
    rounded = round(value / step) * step
    limit = fractions.Fraction(2) ** (16 if type == "half" else 128)
    return float(rounded) if abs(rounded) < limit else math.copysign(math.inf, rounded)


def widened(bits, type):
    """16-bit patterns as f64."""
    bits = np.asarray(bits, "u2")
    single = bits.view("f2") if type == "half" else (bits.astype("u4") << 16).view("f4")
    return single.astype("f8")


def sixteen_bits(rng, type):
    """Three arrays of finite bit patterns: any at all, then products that c moves off a tie."""
    infinity = 0x7C00 if type == "half" else 0x7F80
    any_of = [rng.integers(0, infinity, N) | rng.integers(0, 2, N) << 15 for _ in range(3)]
    digits, bias = (10, 15) if type == "half" else (7, 127)
    half = N // 2
    for part in any_of[:2]:  # significands of half the digits, in [1, 2)
        odd = (1 | rng.integers(0, 2 ** (digits // 2), half)) << (digits - (digits + 1) // 2)
        part[half:] = bias << digits | odd
    any_of[2][half:] = rng.integers(1, 1 << digits, half) | rng.integers(0, 2, half) << 15
    return [part.astype("u2") for part in any_of]


SIXTEEN = [("half", "half2"), ("__nv_bfloat16", "__nv_bfloat162")]


@pytest.mark.parametrize("type, pair", SIXTEEN)
def test_sixteen_bits_round_once(compiled, rng, type, pair):
    text = f"""
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    extern "C" __global__ void k(const {type}* a, const {type}* b, const {type}* c, {type}* out) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = __hadd(a[i], b[i]); out[{N} + i] = __hsub(a[i], b[i]);
        out[{2 * N} + i] = __hmul(a[i], b[i]); out[{3 * N} + i] = __hfma(a[i], b[i], c[i]);
        auto p = [&](const {type}* x) {{ return reinterpret_cast<const {pair}*>(x)[i]; }};
        if (i < {N} / 2) {{
            {pair}* two = reinterpret_cast<{pair}*>(out + {4 * N});
            two[i] = __hadd2(p(a), p(b)); two[{N // 2} + i] = __hsub2(p(a), p(b));
            two[{N} + i] = __hmul2(p(a), p(b)); two[{3 * N // 2} + i] = __hfma2(p(a), p(b), p(c));
        }}
    }}"""
    a, b, c = sixteen_bits(rng, type)
    out = np.zeros((8, N), "u2")
    compiled(text).launch((N // 128,), (128,), [a, b, c, out])
    x, y, z = ([fractions.Fraction(v) for v in widened(w, type)] for w in (a, b, c))
    for k, fn in enumerate(
        (
            lambda p, q, r: p + q,
            lambda p, q, r: p - q,
            lambda p, q, r: p * q,
            lambda p, q, r: p * q + r,
        )
    ):
        want = np.array([nearest(fn(*v), type) for v in zip(x, y, z, strict=True)])
        for got in (out[k], out[4 + k]):
            wrong = np.flatnonzero(widened(got, type) != want)
            assert not len(wrong), (k, a[wrong[0]], b[wrong[0]], c[wrong[0]], got[wrong[0]])
    with_ties = out[3, N // 2 :] != out[2, N // 2 :]
    assert with_ties.any()  # the small addend did decide somewhere


@pytest.mark.parametrize("type, pair", SIXTEEN)
def test_conversions_to_sixteen_bits_round_once(compiled, rng, type, pair):
    make, low = {
        "half": ("__floats2half2_rn", "__low2half"),
        "__nv_bfloat16": ("__floats2bfloat162_rn", "__low2bfloat16"),
    }[type]
    text = f"""
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    extern "C" __global__ void k(
        const float* a, const double* b, const int* c, {type}* out, float* back) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = {type}(a[i]); out[{N} + i] = {type}(b[i]); out[{2 * N} + i] = {type}(c[i]);
        {pair} two = {make}(a[i], -a[i]);
        out[{3 * N} + i] = {low}(two); back[i] = __high2float(two);
    }}"""
    a = floats(rng, "f4")
    ties = widened(rng.integers(0, 0x7000, N // 2), type)
    a[N // 2 :] = ties * (1 + 2.0 ** -(11 if type == "half" else 8))  # halfway, or near it
    a = np.where(np.isfinite(a), a, 1).astype("f4")
    b = a.astype("f8") * (1 + rng.integers(-1, 2, N) * 2.0**-50)
    c = integers(rng, np.int32)
    out, back = np.zeros((4, N), "u2"), np.zeros(N, "f4")
    compiled(text).launch((N // 128,), (128,), [a, b, c, out, back])
    for got, values in zip(out, (a, b, c, a), strict=True):
        want = [nearest(fractions.Fraction(v.item()), type) for v in values]
        assert (widened(got, type) == want).all()
    assert (back == -widened(out[3], type)).all()


def test_not_a_number_in_sixteen_bits(compiled):
    text = """
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    extern "C" __global__ void k(const float* a, unsigned short* out) {
        half h = half(a[0]); __nv_bfloat16 b = __nv_bfloat16(a[0]);
        out[0] = __half_as_ushort(h); out[1] = __half_as_ushort(__hadd(h, h));
        out[2] = __bfloat16_as_ushort(b); out[3] = __bfloat16_as_ushort(__hmul(b, b));
    }"""
    out = np.zeros(4, "u2")
    compiled(text).launch((1,), (1,), [np.array([-np.nan], "f4"), out])
    assert (out == 0x7FFF).all()


def test_not_a_number_as_an_integer(compiled):
    """By the PTX manual, and on an H100: 0, or the highest bit alone from f64 or to 64 bits."""
    k = compiled("""
    extern "C" __global__ void k(const float* f, const double* d, long long* wide, int* o, unsigned* u) {
        wide[0] = (long long)f[0]; wide[1] = (long long)d[0];
        wide[2] = (unsigned long long)f[0]; wide[3] = (unsigned long long)d[0];
        o[0] = (int)f[0]; o[1] = (int)d[0]; u[0] = (unsigned)f[0]; u[1] = (unsigned)d[0];
    }""")
    wide, o, u = np.ones(4, "i8"), np.ones(2, "i4"), np.ones(2, "u4")
    nan = np.array([np.nan])
    k.launch((1,), (1,), [nan.astype("f4"), nan, wide, o, u])
    assert (wide == -(2**63)).all() and o.tolist() == [0, -(2**31)] and u.tolist() == [0, 2**31]


def test_packed_integers_and_bits(compiled, rng):
    a, b = integers(rng, np.uint32), integers(rng, np.uint32)
    got = elementwise(
        compiled,
        ["unsigned"] * 2,
        [
            "__vabsdiffu4(a, b)",
            "__vsadu4(a, b)",
            "__vabsdiffs4(a, b)",
            "__dp2a_lo((int)a, (int)b, 3)",
            "__dp2a_hi(a, b, 3u)",
            "__fns(a, b & 31, 3)",
            "__fns(a, b & 31, -2)",
            "__fns(a, b & 31, 0)",
            *(
                f"permuted_{mode}(a, b, a >> 9)"
                for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
            ),
        ],
        a,
        b,
        out="unsigned",
        head="".join(
            f"""__device__ unsigned permuted_{mode}(unsigned a, unsigned b, unsigned c) {{
            unsigned d; asm("prmt.b32.{mode} %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
            return d; }}\n"""
            for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
        ),
    )
    x, y = (v.view("u1").reshape(-1, 4).astype("i4") for v in (a, b))
    same(got[0], np.abs(x - y).astype("u1").view("u4")[:, 0])
    same(got[1], np.abs(x - y).sum(1))
    signed = np.abs(x.astype("i1").astype("i4") - y.astype("i1").astype("i4"))
    same(got[2], signed.astype("u1").view("u4")[:, 0])
    pairs = a.view("i2").reshape(-1, 2).astype("i8")
    same(got[3], ((pairs * y[:, :2].astype("i1")).sum(1) + 3).astype("u4"))
    pairs = a.view("u2").reshape(-1, 2).astype("i8")
    same(got[4], ((pairs * y[:, 2:]).sum(1) + 3).astype("u4"))
    for row, n in ((5, 3), (6, -2), (7, 0)):
        same(got[row], [nth_set(int(v), int(w) & 31, n) for v, w in zip(a, b, strict=True)])
    octets = np.concatenate([x, y], axis=1)
    for row, pick in enumerate(
        [
            lambda c: [c, c + 1, c + 2, c + 3],
            lambda c: [c, (c - 1) % 8, (c - 2) % 8, (c - 3) % 8],
            lambda c: [c] * 4,
            lambda c: [max(k, c) for k in range(4)],
            lambda c: [min(k, c) for k in range(4)],
            lambda c: [2 * (c % 2), 2 * (c % 2) + 1] * 2,
        ],
        8,
    ):
        chosen = [octets[k, pick(int(c))] for k, c in enumerate(a >> 9 & 3)]
        same(got[row], np.array(chosen).astype("u1").view("u4")[:, 0])


def nth_set(word, base, n):
    """__fns, as the PTX manual writes it."""
    if n == 0:
        return base if word >> base & 1 else 2**32 - 1
    places = range(base, 32) if n > 0 else range(base, -1, -1)
    found = [k for k in places if word >> k & 1]
    return found[abs(n) - 1] if len(found) >= abs(n) else 2**32 - 1

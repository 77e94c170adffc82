"""Half precision, asynchronous copies, tensor cores, cooperative groups."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest


def bf16(a):
    """float32 rounded to bfloat16, as float32."""
    bits = a.astype("f4").view("u4").astype("u8")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype("u4").view("f4")


def bf16_bits(a):
    return (bf16(a).view("u4") >> 16).astype("u2")


def test_half_and_bfloat(compiled, rng):
    k = compiled("""
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    extern "C" __global__ void k(const half* a, const half* b, half* out, float* f, const __nv_bfloat16* c, __nv_bfloat16* d, half2* pair) {
        int i = threadIdx.x;
        out[i] = a[i] + b[i]; out[64 + i] = a[i] * b[i]; out[128 + i] = __hfma(a[i], b[i], a[i]); out[192 + i] = hsqrt(__habs(a[i]));
        f[i] = __half2float(a[i]); out[256 + i] = __float2half(f[i] * 1.1f); out[320 + i] = __hmax(a[i], b[i]);
        out[384 + i] = a[i] < b[i] ? a[i] : b[i];
        d[i] = c[i] + c[63 - i]; d[64 + i] = __float2bfloat16(__bfloat162float(c[i]) * 1.1f); d[128 + i] = __hfma(c[i], c[i], c[i]);
        half2 v = ((const half2*)a)[i & 31]; pair[i] = __hfma2(v, v, __float2half2_rn(0.5f)); pair[64 + i] = __hadd2(v, __lowhigh2highlow(v));
    }""")
    a, b = rng.standard_normal(64).astype("f2"), rng.standard_normal(64).astype("f2")
    c = bf16(rng.standard_normal(64))
    out, f, d, pair = (
        np.zeros((7, 64), "f2"),
        np.zeros(64, "f4"),
        np.zeros((3, 64), "u2"),
        np.zeros((2, 64, 2), "f2"),
    )
    k.launch((1,), (64,), [a, b, out, f, bf16_bits(c), d, pair])
    wide = np.float64
    assert (out[0] == a + b).all() and (out[1] == a * b).all()
    assert (out[2] == (wide(a) * wide(b) + wide(a)).astype("f2")).all()
    np.testing.assert_allclose(wide(out[3]), np.sqrt(np.abs(wide(a))), rtol=1e-3)
    assert (f == a).all() and (out[4] == (f * np.float32(1.1)).astype("f2")).all()
    assert (out[5] == np.maximum(a, b)).all() and (out[6] == np.minimum(a, b)).all()
    assert (d[0] == bf16_bits(c + c[::-1])).all() and (d[1] == bf16_bits(c * np.float32(1.1))).all()
    assert (d[2] == bf16_bits((wide(c) * c + c).astype("f4"))).all()
    v = np.tile(a.reshape(32, 2), (2, 1))
    assert (pair[0] == (wide(v) ** 2 + 0.5).astype("f2")).all() and (
        pair[1] == v + v[:, ::-1]
    ).all()


MMA = """
extern "C" __global__ void k(const unsigned* a, const unsigned* b, const {c}* c, {c}* d) {{
    int t = threadIdx.x; unsigned A[{na}], B[{nb}]; {c} C[4], D[4];
    for (int i = 0; i < {na}; i++) A[i] = a[t * {na} + i];
    for (int i = 0; i < {nb}; i++) B[i] = b[t * {nb} + i];
    for (int i = 0; i < 4; i++) C[i] = c[t * 4 + i];
    asm volatile("mma.sync.aligned.{shape}.row.col.{types} {{%0,%1,%2,%3}}, {{{pa}}}, {{{pb}}}, {{%{q},%{r},%{s},%{t}}};"
        : "={x}"(D[0]), "={x}"(D[1]), "={x}"(D[2]), "={x}"(D[3]) : {ina}, {inb}, "{x}"(C[0]), "{x}"(C[1]), "{x}"(C[2]), "{x}"(C[3]));
    for (int i = 0; i < 4; i++) d[t * 4 + i] = D[i];
}}"""


@pytest.mark.parametrize(
    "shape, kind, na, nb",
    [
        ("m16n8k16", "f16", 4, 2),
        ("m16n8k8", "f16", 2, 1),
        ("m16n8k16", "bf16", 4, 2),
        ("m16n8k8", "tf32", 4, 2),
        ("m16n8k4", "tf32", 2, 1),
        ("m16n8k32", "s8", 4, 2),
        ("m16n8k16", "s8", 2, 1),
    ],
)
def test_mma(compiled, rng, shape, kind, na, nb):
    """Fragments are laid out here as the PTX manual's tables say, lane by lane."""
    k_size = int(shape.split("k")[1])
    c_type = "int" if kind == "s8" else "float"
    types = {
        "f16": "f32.f16.f16.f32",
        "bf16": "f32.bf16.bf16.f32",
        "tf32": "f32.tf32.tf32.f32",
        "s8": "s32.s8.s8.s32",
    }[kind]
    n = 4 + na + nb
    text = MMA.format(
        shape=shape,
        types=types,
        na=na,
        nb=nb,
        c=c_type,
        x="r" if kind == "s8" else "f",
        pa=",".join(f"%{4 + i}" for i in range(na)),
        pb=",".join(f"%{4 + na + i}" for i in range(nb)),
        ina=", ".join(f'"r"(A[{i}])' for i in range(na)),
        inb=", ".join(f'"r"(B[{i}])' for i in range(nb)),
        q=n,
        r=n + 1,
        s=n + 2,
        t=n + 3,
    )
    if kind == "s8":
        A, B = (
            rng.integers(-128, 128, (16, k_size)).astype("i1"),
            rng.integers(-128, 128, (k_size, 8)).astype("i1"),
        )
        C, per = rng.integers(-1000, 1000, (16, 8)).astype("i4"), 4
    else:
        A, B = rng.standard_normal((16, k_size)), rng.standard_normal((k_size, 8))
        C, per = rng.standard_normal((16, 8)).astype("f4"), {"tf32": 1}.get(kind, 2)
    bits = {
        "f16": lambda x: x.astype("f2").view("u2"),
        "bf16": bf16_bits,
        "s8": lambda x: x.view("u1"),
        "tf32": lambda x: x.astype("f4").view("u4") & np.uint32(0xFFFFE000),
    }[kind]
    a_bits, b_bits = bits(A), bits(B)
    frag_a = np.zeros((32, na, per), a_bits.dtype)
    frag_b = np.zeros((32, nb, per), b_bits.dtype)
    frag_c = np.zeros((32, 4), C.dtype)
    for lane in range(32):
        g, m = lane // 4, lane % 4
        for w in range(na):
            for e in range(per):
                frag_a[lane, w, e] = a_bits[g + 8 * (w % 2), m * per + e + 4 * per * (w // 2)]
        for w in range(nb):
            for e in range(per):
                frag_b[lane, w, e] = b_bits[m * per + e + 4 * per * w, g]
        for e in range(4):
            frag_c[lane, e] = C[g + 8 * (e // 2), m * 2 + e % 2]
    d = np.zeros((32, 4), C.dtype)
    operands = [frag_a.view("u4"), frag_b.view("u4"), frag_c, d]
    compiled(text).launch((1,), (32,), operands, rtol=1e-3)
    value = {
        "f16": lambda x: x.astype("f2").astype("f8"),
        "bf16": lambda x: bf16(x).astype("f8"),
        "s8": lambda x: x.astype("i8"),
        "tf32": lambda x: (
            (x.astype("f4").view("u4") & np.uint32(0xFFFFE000)).view("f4").astype("f8")
        ),
    }[kind]
    want = value(A) @ value(B) + C
    for lane in range(32):
        for e in range(4):
            assert abs(d[lane, e] - want[lane // 4 + 8 * (e // 2), lane % 4 * 2 + e % 2]) <= (
                0 if kind == "s8" else 1e-4
            )


def test_ldmatrix_feeds_mma(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(const unsigned short* a, const unsigned short* b, float* d) {
        __shared__ __align__(16) unsigned short sa[16][16], sb[16][8];
        int t = threadIdx.x;
        for (int i = t; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
        for (int i = t; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
        __syncwarp();
        unsigned A[4], B[2]; float D[4] = {0, 0, 0, 0};
        unsigned pa = (unsigned)__cvta_generic_to_shared(&sa[t % 16][t / 16 * 8]), pb = (unsigned)__cvta_generic_to_shared(&sb[t % 16][0]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(A[0]), "=r"(A[1]), "=r"(A[2]), "=r"(A[3]) : "r"(pa));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(B[0]), "=r"(B[1]) : "r"(pb));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3]) : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]));
        float2* out = (float2*)d;
        out[(t / 4) * 4 + t % 4] = make_float2(D[0], D[1]); out[(t / 4 + 8) * 4 + t % 4] = make_float2(D[2], D[3]);
    }""")
    a, b = rng.standard_normal((16, 16)).astype("f2"), rng.standard_normal((16, 8)).astype("f2")
    d = np.zeros((16, 8), "f4")
    report = k.launch((1,), (32,), [a.view("u2"), b.view("u2"), d], trace=True, rtol=1e-3)
    np.testing.assert_allclose(d, a.astype("f8") @ b.astype("f8"), atol=1e-4)
    assert (
        report.shared_ld_requests == 2 and report.shared_ld_wavefronts == 8 + 2
    )  # rows of 32 bytes: two-way conflicts


@pytest.mark.parametrize("space", [".shared", ".shared::cta", ""])
@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("turned", ["", ".trans"])
def test_matrices_between_shared_memory_and_registers(compiled, space, number, turned):
    """Lane i gives the address of row i % 8 of matrix i / 8; rows are 16 bytes apart there, and 48
    where stmatrix puts them: no two rows of a matrix meet in a bank there.
    """
    n, registers = number, ", ".join(f"%{i}" for i in range(number))
    outs = ", ".join(f'"=r"(R[{i}])' for i in range(n))
    ins = ", ".join(f'"r"(R[{i}])' for i in range(n))
    kind, x = ("unsigned long long", "l") if not space else ("unsigned", "r")
    place = "(unsigned long long)" if not space else "(unsigned)__cvta_generic_to_shared"
    k = compiled(f"""
    extern "C" __global__ void k(const unsigned short* a, unsigned* r, unsigned short* b) {{
        __shared__ __align__(16) unsigned short s[256], d[32 * 24];
        int t = threadIdx.x; unsigned R[{n}];
        for (int i = t; i < 256; i += 32) s[i] = a[i];
        for (int i = t; i < 32 * 24; i += 32) d[i] = 0;
        __syncwarp();
        {kind} from = {place}(&s[t * 8]), to = {place}(&d[t * 24]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x{n}{turned}{space}.b16 {{{registers}}}, [%{n}];" : {outs} : "{x}"(from));
        for (int i = 0; i < {n}; i++) r[t * {n} + i] = R[i];
        asm volatile("stmatrix.sync.aligned.m8n8.x{n}{turned}{space}.b16 [%0], {{{", ".join(f"%{i + 1}" for i in range(n))}}};" :: "{x}"(to), {ins} : "memory");
        __syncwarp();
        for (int i = t; i < 32 * 24; i += 32) b[i] = d[i];
    }}""")
    a, r, b = np.arange(256, dtype="u2"), np.zeros((32, n, 2), "u2"), np.zeros((32, 24), "u2")
    report = k.launch((1,), (32,), [a, r.view("u4"), b], trace=True)
    matrices = a.reshape(4, 8, 8)
    for lane in range(32):
        for j in range(n):
            matrix = matrices[j].T if turned else matrices[j]
            column = lane % 4 * 2
            assert (r[lane, j] == matrix[lane // 4, column : column + 2]).all()
    assert (b[: 8 * n, :8].reshape(n, 8, 8) == matrices[:n]).all()
    assert not b[8 * n :].any() and not b[:, 8:].any()
    lines = report.lines
    load, store = (
        next(c for c in lines.values() if getattr(c, f"shared_{way}_requests") == 1)
        for way in ("ld", "st")
    )
    assert (load.shared_ld_wavefronts, load.shared_ld_conflicts) == (n, 0)
    assert (store.shared_st_wavefronts, store.shared_st_conflicts) == (n, 0)


def test_a_generic_address_elsewhere(compiled):
    import warpemu

    k = compiled("""
    extern "C" __global__ void k(unsigned* a) {
        unsigned r;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r) : "l"(a));
        a[threadIdx.x] = r;
    }""")
    with pytest.raises(warpemu.Finding, match="line 4 .* is not in shared memory"):
        k.launch((1,), (32,), [np.zeros(64, "u4")])


def test_words_of_hopper(compiled):
    """What changes no result, and what is known of one lane: see the PTX manual."""
    k = compiled(
        """
    extern "C" __global__ void k(int* out) {
        int t = threadIdx.x; unsigned lane; int first;
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        asm volatile("griddepcontrol.wait;"); asm volatile("griddepcontrol.launch_dependents;");
        asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.s32 %1, 1, 0, p; }" : "=r"(lane), "=r"(first));
        asm volatile("nanosleep.u32 20;");
        bool right = __reduce_add_sync(~0u, first) == 1 && first == (lane == t % 32);    // which lane is not said
        out[t] = right + 1000 * __popc(__activemask());
        asm volatile("barrier.cta.sync.aligned 3, 128;"); asm volatile("bar.cta.sync 4, 128;");
        if (t < 64) asm volatile("barrier.cta.arrive 5, 128;"); else asm volatile("barrier.cta.sync 5, 128;");
        out[t] += __reduce_add_sync(~0u, t) - __reduce_max_sync(~0u, t);
    }""",
        arch="compute_90a",
    )
    out, t = np.zeros(128, "i4"), np.arange(128)
    k.launch((1,), (128,), [out])
    first = t // 32 * 32
    assert (out == 1 + 32000 + 32 * first + 496 - (first + 31)).all()


@pytest.mark.parametrize("count", [16, 30, 264])
def test_a_number_of_registers_that_cannot_be(compiled, count):
    import warpemu

    text = (
        f"""extern "C" __global__ void k() {{ asm("setmaxnreg.inc.sync.aligned.u32 {count};"); }}"""
    )
    with pytest.raises(warpemu.EmulatorError, match="not a multiple of 8 from 24 to 256"):
        compiled(text, arch="compute_90a")


@pytest.mark.parametrize("layout", ["row", "col"])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_wmma(compiled, rng, layout, space):
    shared = space == "shared"
    k = compiled(f"""
    extern "C" __global__ void k(const unsigned short* a, const unsigned short* b, float* c) {{
        unsigned A[8], B[8]; float C[8];
        {"__shared__ __align__(32) unsigned short sa[256]; for (int i = threadIdx.x; i < 256; i += 32) sa[i] = a[i]; __syncwarp(); unsigned pa = __cvta_generic_to_shared(sa);" if shared else "const unsigned short* pa = a;"}
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.{space}.f16 {{%0,%1,%2,%3,%4,%5,%6,%7}}, [%8], %9;" : "=r"(A[0]),"=r"(A[1]),"=r"(A[2]),"=r"(A[3]),"=r"(A[4]),"=r"(A[5]),"=r"(A[6]),"=r"(A[7]) : "{"r" if shared else "l"}"(pa), "r"(16));
        asm volatile("wmma.load.b.sync.aligned.{layout}.m16n16k16.global.f16 {{%0,%1,%2,%3,%4,%5,%6,%7}}, [%8], %9;" : "=r"(B[0]),"=r"(B[1]),"=r"(B[2]),"=r"(B[3]),"=r"(B[4]),"=r"(B[5]),"=r"(B[6]),"=r"(B[7]) : "l"(b), "r"(16));
        asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {{%0,%1,%2,%3,%4,%5,%6,%7}}, [%8], %9;" : "=f"(C[0]),"=f"(C[1]),"=f"(C[2]),"=f"(C[3]),"=f"(C[4]),"=f"(C[5]),"=f"(C[6]),"=f"(C[7]) : "l"(c), "r"(16));
        asm volatile("wmma.mma.sync.aligned.row.{layout}.m16n16k16.f32.f32 {{%0,%1,%2,%3,%4,%5,%6,%7}}, {{%8,%9,%10,%11,%12,%13,%14,%15}}, {{%16,%17,%18,%19,%20,%21,%22,%23}}, {{%0,%1,%2,%3,%4,%5,%6,%7}};"
          : "+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]),"+f"(C[4]),"+f"(C[5]),"+f"(C[6]),"+f"(C[7])
          : "r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(A[4]),"r"(A[5]),"r"(A[6]),"r"(A[7]),"r"(B[0]),"r"(B[1]),"r"(B[2]),"r"(B[3]),"r"(B[4]),"r"(B[5]),"r"(B[6]),"r"(B[7]));
        asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {{%1,%2,%3,%4,%5,%6,%7,%8}}, %9;" :: "l"(c), "f"(C[0]),"f"(C[1]),"f"(C[2]),"f"(C[3]),"f"(C[4]),"f"(C[5]),"f"(C[6]),"f"(C[7]), "r"(16));
    }}""")
    a, b = rng.standard_normal((16, 16)).astype("f2"), rng.standard_normal((16, 16)).astype("f2")
    c = rng.standard_normal((16, 16)).astype("f4")
    want = a.astype("f8") @ (b if layout == "row" else b.T).astype("f8") + c
    k.launch((1,), (32,), [a.view("u2"), b.view("u2"), c], trace=True, rtol=1e-3)
    np.testing.assert_allclose(c, want, atol=1e-4)


def test_async_copies(compiled, rng):
    k = compiled("""
    #include <cuda_pipeline_primitives.h>
    extern "C" __global__ void k(const float4* a, float4* out, int n) {
        __shared__ float4 buffer[2][64];
        int t = threadIdx.x;
        __pipeline_memcpy_async(&buffer[0][t], &a[t], 16); __pipeline_commit();
        for (int i = 0; i < n; i++) {
            if (i + 1 < n) __pipeline_memcpy_async(&buffer[(i + 1) & 1][t], &a[(i + 1) * 64 + t], 16, t < 60 ? 0 : 16);
            __pipeline_commit();
            __pipeline_wait_prior(1);
            __syncthreads();
            out[i * 64 + t] = buffer[i & 1][63 - t];
            __syncthreads();
        }
    }""")
    a, out = rng.random((5, 64, 4), dtype="f4"), np.zeros((5, 64, 4), "f4")
    report = k.launch((1,), (64,), [a, out, np.int32(5)], trace=True)
    a[1:, 60:] = 0
    assert (out == a[:, ::-1]).all() and report.global_ld_requests > 0


def test_forgotten_wait(compiled):
    import warpemu

    k = compiled("""
    #include <cuda_pipeline_primitives.h>
    extern "C" __global__ void k(const float* a, float* out) {
        __shared__ float s[64]; int t = threadIdx.x;
        __pipeline_memcpy_async(&s[t], &a[t], 4); __pipeline_commit();
        __syncthreads();
        out[t] = s[t];
    }""")
    with pytest.raises(warpemu.Finding, match=r"reads s\[0\].*copy of line 5 may still write it"):
        k.launch((1,), (64,), [np.ones(64, "f4"), np.zeros(64, "f4")])


RING = """
#include <cuda_pipeline_primitives.h>
extern "C" __global__ void k(const float* a, float* out, int n) {
    __shared__ float s[2][64]; int t = threadIdx.x, mine = n + blockIdx.x;    // unequal work
    __pipeline_memcpy_async(&s[0][t], &a[t], 4); __pipeline_commit();
    float sum = 0;
    for (int i = 0; i < mine; i++) {
        EARLY
        __pipeline_wait_prior(WAIT);
        __syncthreads();
        LATE
        sum += s[i & 1][63 - t] * (i + 1);
        LAST
    }
    out[blockIdx.x * 64 + t] = sum;
}"""
FETCH = "if (i + 1 < mine) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &a[(i + 1) * 64 + t], 4);"


@pytest.mark.parametrize(
    "early, wait, late, last, kind",
    [
        (FETCH + "__pipeline_commit();", 1, "", "__syncthreads();", None),
        ("", 0, FETCH + "__pipeline_commit();", "", None),
        (FETCH + "__pipeline_commit();", 1, "", "", "shared race"),
        (FETCH + "__pipeline_commit();", 2, "", "__syncthreads();", "unfinished copy"),
    ],
    ids=["ahead", "behind", "no last barrier", "one too many"],
)
def test_rings_of_async_copies(compiled, rng, early, wait, late, last, kind):
    """Blocks that do different numbers of steps; a barrier too few; a wait too short."""
    import warpemu

    text = RING.replace("EARLY", early).replace("WAIT", str(wait)).replace("LATE", late)
    k = compiled(text.replace("LAST", last))
    a, out = rng.integers(0, 9, (9, 64)).astype("f4"), np.zeros((5, 64), "f4")
    args = [a, out, np.int32(4)]
    if kind:
        with pytest.raises(warpemu.Finding) as caught:
            k.launch((5,), (64,), args)
        assert kind in caught.value.counts
        return
    k.launch((5,), (64,), args)
    for block in range(5):
        steps = np.arange(1, 5 + block)[:, None]
        assert (out[block] == (a[: 4 + block, ::-1] * steps).sum(0)).all()


def test_cooperative_groups(compiled):
    from warpemu import nvrtc

    text = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(int* a, int n) {
        auto grid = cg::this_grid(); auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block);
        int i = grid.thread_rank();
        a[i] = i;
        grid.sync();
        int s = a[(i + 64) % n];
        for (int k = 4; k > 0; k /= 2) s += tile.shfl_xor(s, k);
        if (tile.thread_rank() == 0) { auto c = cg::coalesced_threads(); s += 1000 * c.size(); }
        block.sync();
        a[n + i] = s;
    }"""
    try:
        k = compiled(text)
    except nvrtc.CompileError as error:
        pytest.skip(
            f"this NVRTC has no headers for cooperative groups: {str(error).splitlines()[0]}"
        )
    a = np.zeros(512, "i4")
    k.launch((4,), (64,), [a, np.int32(256)])
    i = np.arange(256)
    sums = ((i + 64) % 256).reshape(-1, 8).sum(1).repeat(8)
    assert (a[:256] == i).all() and (a[256:] == sums + np.where(i % 8 == 0, 4000, 0)).all()

"""Counters against the rules of the hardware."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest
from emulator_helpers import line_of

import warpemu

STRIDE = """
extern "C" __global__ void k(const float* a, float* out, int stride, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i * stride + offset];    // LOAD
    out[i] = x;                          // STORE
}"""


@pytest.mark.parametrize("stride, sectors", [(0, 1), (1, 4), (2, 8), (4, 16), (8, 32), (32, 32)])
def test_sectors_of_strides(compiled, stride, sectors):
    a, out = np.zeros(256 * max(stride, 1), "f4"), np.zeros(256, "f4")
    report = compiled(STRIDE).launch(
        (2,), (128,), [a, out, np.int32(stride), np.int32(0)], trace=True
    )
    load, store = report.lines[line_of(STRIDE, "LOAD")], report.lines[line_of(STRIDE, "STORE")]
    assert (load.global_ld_requests, load.global_ld_sectors) == (8, 8 * sectors)
    assert (store.global_st_requests, store.global_st_sectors, store.global_st_bytes) == (
        8,
        32,
        1024,
    )
    assert load.global_ld_bytes == 8 * (128 if stride else 4)
    touched = 32 + (128 * stride * 2 // 8 if 0 < stride < 8 else 256 if stride else 1)
    assert report.unique_sectors == touched


@pytest.mark.parametrize("offset, sectors", [(0, 4), (1, 5), (7, 5), (8, 4)])
def test_sectors_of_offsets(compiled, offset, sectors):
    a, out = np.zeros(64 + offset, "f4"), np.zeros(64, "f4")
    report = compiled(STRIDE).launch(
        (1,), (64,), [a, out, np.int32(1), np.int32(offset)], trace=True
    )
    assert report.global_ld_sectors == 2 * sectors


def test_an_unaligned_view_costs_a_sector(compiled):
    owner, out = np.zeros(65, "f4"), np.zeros(64, "f4")
    report = compiled(STRIDE).launch(
        (1,), (64,), [owner[1:], out, np.int32(1), np.int32(0)], trace=True
    )
    assert report.global_ld_sectors == 10


@pytest.mark.parametrize(
    "type, sectors",
    [("char", 1), ("short", 2), ("float", 4), ("float2", 8), ("float4", 16), ("double2", 16)],
)
def test_sectors_of_widths(compiled, type, sectors):
    k = compiled(
        f'extern "C" __global__ void k(const {type}* a, {type}* out) {{ out[threadIdx.x] = a[threadIdx.x]; }}'
    )
    size = {"char": 1, "short": 2, "float": 4, "float2": 8}.get(type, 16)
    report = k.launch(
        (1,), (64,), [np.zeros(64 * size, "u1"), np.zeros(64 * size, "u1")], trace=True
    )
    assert (report.global_ld_requests, report.global_ld_sectors) == (2, 2 * sectors)
    assert (report.global_st_requests, report.global_st_sectors) == (2, 2 * sectors)


def test_scattered_and_partial_warps(compiled):
    k = compiled("""
    extern "C" __global__ void k(const float* a, const int* where, float* out, int n) {
        int i = threadIdx.x; if (i < n) out[i] = a[where[i]]; }""")
    rng = np.random.default_rng(0)
    where = rng.integers(0, 1000, 40).astype("i4")
    a, out = rng.random(1000, dtype="f4"), np.zeros(40, "f4")
    report = k.launch((1,), (64,), [a, where, out, np.int32(40)], trace=True)
    want = sum(len(set((w * 4 // 32).tolist())) for w in (where[:32], where[32:]))
    assert report.global_ld_requests == 4 and report.global_ld_sectors == want + 4 + 1
    assert (out == a[where]).all()


BANKS = """
extern "C" __global__ void k(float* out, int stride) {
    __shared__ __align__(16) float s[2048];
    for (int i = threadIdx.x; i < 2048; i += 32) s[i] = i;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * stride];    // LOAD
    __syncthreads();
    s[threadIdx.x * stride] = 1;                   // STORE
}"""


@pytest.mark.parametrize(
    "stride, conflicts", [(0, 0), (1, 0), (2, 1), (3, 0), (4, 3), (8, 7), (32, 31), (33, 0)]
)
def test_bank_conflicts_of_strides(compiled, stride, conflicts):
    out = np.zeros(32, "f4")
    report = compiled(BANKS).launch(
        (1,), (32,), [out, np.int32(stride)], trace=True, sanitize=False
    )
    load, store = report.lines[line_of(BANKS, "LOAD")], report.lines[line_of(BANKS, "STORE")]
    assert (load.shared_ld_requests, load.shared_ld_conflicts, load.shared_ld_wavefronts) == (
        1,
        conflicts,
        conflicts + 1,
    )
    assert (store.shared_st_requests, store.shared_st_conflicts) == (1, conflicts)
    assert (out == np.arange(32) * stride).all()


@pytest.mark.parametrize(
    "type, index, wavefronts",
    [
        ("float2", "t", 2),
        ("float4", "t", 4),
        ("float2", "2 * t", 4),
        ("float4", "2 * t", 8),
        ("float2", "t / 2", 1),
        ("float4", "t / 2", 2),
        ("float4", "t & 1", 2),
        ("float4", "0", 2),
    ],
)
def test_wide_shared_loads(compiled, type, index, wavefronts):
    """Half- and quarter-warp passes; half as many where lanes n and n ^ 1, or n and n ^ 2, agree."""
    text = f"""
    extern "C" __global__ void k({type}* out) {{
        __shared__ {type} s[64]; int t = threadIdx.x;
        s[t] = out[t]; s[t + 32] = out[t]; __syncthreads();
        out[t] = s[{index}];    // LOAD
    }}"""
    size = 2 if type == "float2" else 4
    report = compiled(text).launch((1,), (32,), [np.zeros((32, size), "f4")], trace=True)
    assert report.lines[line_of(text, "LOAD")].shared_ld_wavefronts == wavefronts


def test_loads_that_ptxas_merges(compiled):
    """A tiled matmul: 16 loads of a row become 4 of 128 bits, 16 of a column stay."""
    k = compiled("""
    extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
        __shared__ float A[16][16], B[16][16];
        int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
        float sum = 0;
        for (int k = 0; k < n; k += 16) {
            A[y][x] = a[row * n + k + x]; B[y][x] = b[(k + y) * n + col];
            __syncthreads();
            for (int j = 0; j < 16; j++) sum += A[y][j] * B[j][x];
            __syncthreads();
        }
        c[row * n + col] = sum;
    }""")
    a = np.ones((32, 32), "f4")
    c = np.zeros((32, 32), "f4")
    report = k.launch((2, 2), (16, 16), [a, a, c, np.int32(32)], trace=True)
    warps_and_tiles = 4 * 8 * 2
    assert (c == 32).all() and report.shared_ld_requests == warps_and_tiles * (4 + 16)
    assert report.shared_ld_conflicts == 0 and report.shared_st_requests == warps_and_tiles * 2
    assert (
        sum(n for op, n in report.opcodes.items() if op.startswith("ld.shared"))
        == warps_and_tiles * 32
    )


def test_branches_and_lanes(compiled):
    text = """
    extern "C" __global__ void k(float* out, int n) {
        int t = threadIdx.x;
        if (t % 2) out[t] = sqrtf(out[t]) + n;      // ODD
        else for (int i = 0; i < n; i++) out[t] += out[t + 1] * i;
        if (t < 32) out[t] = expf(out[t] - n) + out[t + 5];
    }"""
    k = compiled(text)
    report = k.launch(
        (2,),
        (64,),
        [np.zeros(70, "f4"), np.int32(3)],
        trace=True,
        sanitize=False,
        not_on_gpu="its threads race",
    )
    odd = report.lines[line_of(text, "ODD")]
    assert report.divergent_branches >= 4 and report.branches > report.divergent_branches
    assert odd.active_lanes < 32 * odd.instructions
    assert (
        report.instructions
        == sum(c.instructions for c in report.lines.values())
        == sum(report.opcodes.values())
    )


def test_local_and_atomic_requests(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* bins, const int* a) {
        int v[32]; for (int i = 0; i < 32; i++) v[i] = i * a[i];
        atomicAdd(bins + (threadIdx.x & 7), v[a[threadIdx.x] & 31]);
    }""")
    a = np.arange(64, dtype="i4")
    report = k.launch((1,), (64,), [np.zeros(8, "i4"), a], trace=True)
    assert report.local_st_requests >= 2 and report.local_ld_requests == 2
    assert (report.atomic_requests, report.atomic_collisions) == (2, 48)


CONSTANT = """
__constant__ float table[64];
extern "C" __global__ void k(float* out, int stride, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[i * stride % 64];    // LOAD
}"""


@pytest.mark.parametrize(
    "stride, n, passes",
    [(0, 64, 2), (1, 64, 64), (2, 64, 64), (16, 64, 8), (32, 64, 4), (1, 40, 40), (16, 33, 5)],
)
def test_constant_memory_serves_one_address_at_a_time(compiled, stride, n, passes):
    k, out = compiled(CONSTANT), np.zeros(64, "f4")
    values = k.symbol("table").view("f4")
    values[:] = np.arange(64)
    report = k.launch((1,), (64,), [out, np.int32(stride), np.int32(n)], trace=True)
    i = np.arange(64)
    assert (out == np.where(i < n, i * stride % 64, 0)).all()
    load = report.lines[line_of(CONSTANT, "LOAD")]
    assert (load.const_ld_requests, load.const_ld_passes) == (2, passes)
    assert load.global_ld_requests == load.global_ld_sectors == 0


def test_a_constant_of_a_uniform_address_is_one_pass_a_warp(compiled):
    k = compiled("""
    __constant__ float c[2] = {3, 4};
    extern "C" __global__ void k(float* out) { out[threadIdx.x] = c[blockIdx.x & 1]; }""")
    report = k.launch((1,), (96,), [np.zeros(96, "f4")], trace=True)
    assert (report.const_ld_requests, report.const_ld_passes) == (3, 3)


def test_hints_and_prefetches_change_no_count(compiled):
    text = """
    extern "C" __global__ void k(const float* a, float* out) {
        int i = threadIdx.x;
        asm volatile("prefetch.global.L2 [%0];" :: "l"(a + i));
        asm volatile("prefetch.global.L1 [%0];" :: "l"(a + i));
        out[i] = __ldg(a + i) + __ldca(a + i) + __ldcg(a + i) + __ldcs(a + i) + __ldlu(a + i)
            + __ldcv(a + i);                                                       // LOAD
        __stcs(out + 32 + i, 1.0f); __stcg(out + 64 + i, 1.0f); __stwt(out + 96 + i, 1.0f);
        float wide;
        asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(wide) : "l"(a + i));
        out[128 + i] = wide;
    }"""
    a, out = np.arange(32, dtype="f4"), np.zeros(160, "f4")
    report = compiled(text).launch((1,), (32,), [a, out], trace=True)
    assert (out[:32] == 6 * a).all() and (out[32:128] == 1).all() and (out[128:] == a).all()
    assert (report.global_ld_requests, report.global_ld_sectors) == (7, 28)
    assert (report.global_st_requests, report.global_st_sectors) == (5, 20)


def test_samples_for_drawing(compiled):
    a, out = np.zeros(64, "f4"), np.zeros(32, "f4")
    report = compiled(STRIDE).launch((1,), (32,), [a, out, np.int32(2), np.int32(0)], trace=True)
    (load,) = report.samples[line_of(STRIDE, "LOAD")]
    assert (load.kind, load.size, load.array) == ("global ld", 4, "a") and all(load.active)
    assert [x - load.addresses[0] for x in load.addresses] == [8 * k for k in range(32)]


def test_nothing_is_counted_unless_asked(compiled):
    report = compiled(STRIDE).launch(
        (1,), (32,), [np.zeros(32, "f4"), np.zeros(32, "f4"), np.int32(1), np.int32(0)]
    )
    assert report.instructions == 0 and not report.lines


def test_coverage_lists_what_runs():
    rows = warpemu.coverage()
    opcodes = {name for _, name, _, _ in rows}
    assert {"add", "ld", "shfl", "bar", "atom", "mma", "wmma", "cvt"} <= opcodes and len(rows) > 80
    assert all(
        family and isinstance(words, str) and isinstance(types, str)
        for family, _, words, types in rows
    )

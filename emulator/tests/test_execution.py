"""Control flow, memories and warp operations: results against NumPy."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest

import warpemu


def test_grid_and_block_in_three_dimensions(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* out) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int z = blockIdx.z * blockDim.z + threadIdx.z;
        out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = x + 100 * y + 10000 * z;
    }""")
    out = np.zeros((6, 15, 14), "i4")
    k.launch((2, 3, 2), (7, 5, 3), [out])
    z, y, x = np.indices(out.shape)
    assert (out == x + 100 * y + 10000 * z).all()


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000])
@pytest.mark.parametrize("block", [32, 100, 256])
def test_guard(compiled, n, block):
    k = compiled("""
    extern "C" __global__ void k(const float* a, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = a[i] * 2;
    }""")
    a, out = np.arange(n, dtype="f4"), np.full(n, np.nan, "f4")
    k.launch((-(-n // block),), (block,), [a, out, np.int32(n)], trace=True)
    assert (out == 2 * a).all()


def test_divergent_loops_and_branches(compiled, rng):
    """Collatz: every lane runs a different number of steps, with a branch in each."""
    k = compiled("""
    extern "C" __global__ void k(const int* a, int* out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x, n = a[i], steps = 0;
        while (n != 1) { if (n & 1) n = 3 * n + 1; else n /= 2; steps++; }
        out[i] = steps;
    }""")

    def collatz(n):
        steps = 0
        while n != 1:
            n, steps = (3 * n + 1 if n & 1 else n // 2), steps + 1
        return steps

    a = rng.integers(1, 500, 300).astype("i4")
    out = np.zeros(300, "i4")
    report = k.launch((3,), (100,), [a, out], trace=True)
    assert out.tolist() == [collatz(int(n)) for n in a]
    assert report.divergent_branches > 0


def test_shuffles_and_divergence_in_blocks_of_one_warp(compiled):
    """What a shuffle gives is written to by a few lanes: no write may be lost."""
    k = compiled("""
    extern "C" __global__ void k(int* o, const int* in, int* log) {
        int i = blockIdx.x * 32 + threadIdx.x, x = in[i];
        int v = __shfl_xor_sync(~0u, x, 16) + __shfl_xor_sync(~0u, x, 1);
        if (x > 10) { log[i] = 1; if (x > 20) { log[i] = 2; v = x; } }
        o[i] = v;
    }""")
    values = (np.arange(96, dtype="i4") * 7) % 41
    o, log = np.zeros_like(values), np.zeros_like(values)
    k.launch((3,), (32,), [o, values, log])
    lanes = np.arange(96)
    assert (o == np.where(values > 20, values, values[lanes ^ 16] + values[lanes ^ 1])).all()
    assert (log == np.select([values > 20, values > 10], [2, 1], 0)).all()


def test_wide_words_in_local_memory_of_some_lanes(compiled):
    """Three lanes of four store 64-bit values at indices of their own."""
    k = compiled("""
    extern "C" __global__ void k(long long* o, const int* at) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        long long v[4] = {1, 2, 3, 4};
        if (threadIdx.x % 4 != 1) v[at[i] & 3] = i * 7LL;
        o[i] = v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3];
    }""")
    i = np.arange(192)
    at, o = (i // 3 % 4).astype("i4"), np.zeros(192, "i8")
    k.launch((3,), (64,), [o, at])
    v = np.tile([1, 2, 3, 4], (192, 1))
    v[i % 4 != 1, at[i % 4 != 1]] = 7 * i[i % 4 != 1]
    assert (o == v @ [1000, 100, 10, 1]).all()


def test_nested_divergence_break_continue_switch(compiled):
    text = """
    extern "C" __global__ void k(int* out, int n) {
        int t = threadIdx.x, r = 0;
        for (int i = 0; i < n; i++) {
            if ((t + i) % 3 == 0) continue;
            for (int j = 0; j < t; j++) { if (j * i > 20) break; r += j ^ i; }
            switch ((t * i) % 6) { case 0: r += 1; break; case 1: r ^= 5; case 2: r -= 3; break;
                                   case 3: r *= 3; break; case 4: r += t; break; default: r ^= i; }
            if (r > 100000) break;
        }
        out[blockIdx.x * blockDim.x + t] = r;
    }"""

    def python(t, n):
        r = 0
        for i in range(n):
            if (t + i) % 3 == 0:
                continue
            for j in range(t):
                if j * i > 20:
                    break
                r += j ^ i
            c = (t * i) % 6
            if c == 0:
                r += 1
            elif c in (1, 2):
                r = (r ^ 5) - 3 if c == 1 else r - 3
            elif c == 3:
                r *= 3
            elif c == 4:
                r += t
            else:
                r ^= i
            if r > 100000:
                break
        return r

    out = np.zeros((2, 50), "i4")
    compiled(text).launch((2,), (50,), [out, np.int32(25)])
    want = [python(t, 25) for t in range(50)]
    assert out[0].tolist() == want and out[1].tolist() == want


def test_block_reduction_and_tail(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(const float* a, float* out, int n) {
        __shared__ float part[256];
        float sum = 0;
        for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i];
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) atomicAdd(out, part[0]);
    }""")
    a = rng.integers(0, 10, 5000).astype("f4")
    out = np.zeros(1, "f4")
    k.launch((7,), (256,), [a, out, np.int32(5000)], trace=True)
    assert out[0] == a.sum()


def test_transpose_with_tiles(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(const float* a, float* out, int rows, int cols) {
        __shared__ float tile[32][33];
        int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
        for (int j = 0; j < 32; j += 8)
            if (row + j < rows && col < cols) tile[threadIdx.y + j][threadIdx.x] = a[(row + j) * cols + col];
        __syncthreads();
        col = blockIdx.y * 32 + threadIdx.x; row = blockIdx.x * 32 + threadIdx.y;
        for (int j = 0; j < 32; j += 8)
            if (row + j < cols && col < rows) out[(row + j) * rows + col] = tile[threadIdx.x][threadIdx.y + j];
    }""")
    a = rng.random((70, 45), dtype="f4")
    out = np.zeros((45, 70), "f4")
    report = k.launch((2, 3), (32, 8), [a, out, np.int32(70), np.int32(45)], trace=True)
    assert (out == a.T).all() and report.shared_ld_conflicts == 0


def test_local_arrays(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(const int* a, int* out, long long* wide, unsigned char* small) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, v[8]; long long w[4]; unsigned char c[8];
        for (int i = 0; i < 8; i++) { v[i] = t * i; c[i] = t + i; }
        for (int i = 0; i < 4; i++) w[i] = (long long)t << (i * 8);
        v[a[t] & 7] = -1; w[a[t] & 3] = 5; c[a[t] & 7] = 200;
        int s = 0; for (int i = 0; i < 8; i++) s += v[(i + a[t]) & 7] * (i + 1);
        out[t] = s; wide[t] = w[(a[t] + 1) & 3] + w[a[t] & 3]; small[t] = c[(a[t] ^ t) & 7];
    }""")
    a = rng.integers(0, 100, 64).astype("i4")
    out, wide, small = np.zeros(64, "i4"), np.zeros(64, "i8"), np.zeros(64, "u1")
    report = k.launch((2,), (32,), [a, out, wide, small], trace=True)
    for t in range(64):
        v, w, c = (
            [t * i for i in range(8)],
            [t << (8 * i) for i in range(4)],
            [(t + i) & 255 for i in range(8)],
        )
        v[a[t] & 7], w[a[t] & 3], c[a[t] & 7] = -1, 5, 200
        assert out[t] == sum(v[(i + a[t]) & 7] * (i + 1) for i in range(8))
        assert wide[t] == w[(a[t] + 1) & 3] + 5 and small[t] == c[(a[t] ^ t) & 7]
    assert report.local_st_requests > 0


def test_vectors_and_small_types(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(const float4* a, float4* out, const short2* s, int* t, const double2* d, double* e,
                                 const unsigned char* b, unsigned char* c) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float4 v = a[i]; out[i] = make_float4(v.w, v.z, v.y, v.x);
        t[i] = s[i].x * s[i].y; e[i] = d[i].x - d[i].y; c[i] = b[i] + 3;
    }""")
    a, s, d = (
        rng.random((64, 4), dtype="f4"),
        rng.integers(-9, 9, (64, 2)).astype("i2"),
        rng.random((64, 2)),
    )
    b = rng.integers(0, 256, 64).astype("u1")
    out, t, e, c = np.zeros((64, 4), "f4"), np.zeros(64, "i4"), np.zeros(64), np.zeros(64, "u1")
    k.launch((2,), (32,), [a, out, s, t, d, e, b, c])
    assert (
        (out == a[:, ::-1]).all()
        and (t == s[:, 0] * s[:, 1]).all()
        and (e == d[:, 0] - d[:, 1]).all()
    )
    assert (c == b + np.uint8(3)).all()


def test_device_functions_constants_and_variables(compiled):
    k = compiled("""
    __constant__ float weights[4] = {1, 2, 3, 4};
    __device__ int counter;
    __device__ int table[3] = {7, 8, 9};
    __device__ int* link = table;
    struct Pair { int a; float b; };
    __noinline__ __device__ float twice(float x, int* n) { *n += 1; return x * 2; }
    __noinline__ __device__ float sum(float x, Pair p) { int n = 0; return twice(x, &n) + n + p.a * p.b; }
    extern "C" __global__ void k(float* out, Pair p) {
        int i = threadIdx.x;
        out[i] = sum(weights[i & 3], p) + link[i % 3];
        atomicAdd(&counter, 1);
    }""")
    pair = np.void((3, 0.5), dtype=[("a", "i4"), ("b", "f4")])
    out = np.zeros(32, "f4")
    k.launch((1,), (32,), [out, pair])
    i = np.arange(32)
    assert (out == (i % 4 + 1) * 2 + 1 + 1.5 + np.array([7, 8, 9])[i % 3]).all()
    assert k.symbol("counter").view("i4")[0] == 32
    k.symbol("weights").view("f4")[:] = 0
    k.launch((1,), (32,), [out, pair])
    assert out[0] == 1 + 1.5 + 7 and k.symbol("counter").view("i4")[0] == 64


def test_printf(compiled, capsys):
    k = compiled(r"""
    extern "C" __global__ void k(float x) {
        if (threadIdx.x % 16 == 0) printf("%d/%u: %5.2f %s %lld %c%%\n", threadIdx.x, blockIdx.x, x, "name", 1ll << 40, 'z');
    }""")
    k.launch((2,), (32,), [np.float32(2.5)], not_on_gpu="its text passes Python by")
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{t}/{b}:  2.50 name {2**40} z%" for b in (0, 1) for t in (0, 16)]


def test_dynamic_shared_memory(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* out) {
        extern __shared__ int rows[];
        __shared__ int fixed[3];
        rows[threadIdx.x] = threadIdx.x; if (threadIdx.x < 3) fixed[threadIdx.x] = 50;
        __syncthreads();
        out[threadIdx.x] = rows[63 - threadIdx.x] + fixed[threadIdx.x % 3];
    }""")
    out = np.zeros(64, "i4")
    k.launch((1,), (64,), [out], shared_bytes=256)
    assert (out == 113 - np.arange(64)).all()


def test_shuffles_and_votes(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(const int* a, int* out, int n) {
        int t = threadIdx.x, v = a[t];
        out[t] = __shfl_up_sync(~0u, v, 3);
        out[n + t] = __shfl_down_sync(~0u, v, 5, 16);
        out[2 * n + t] = __shfl_xor_sync(~0u, v, 9);
        out[3 * n + t] = __shfl_sync(~0u, v, v & 31);
        out[4 * n + t] = __ballot_sync(~0u, v & 1);
        out[5 * n + t] = __any_sync(~0u, v > 98) + 2 * __all_sync(~0u, v >= 0);
        out[6 * n + t] = __match_any_sync(~0u, v & 3);
        out[7 * n + t] = __reduce_add_sync(~0u, v);
        out[8 * n + t] = __reduce_max_sync(~0u, (unsigned)v);
        if (t & 1) out[9 * n + t] = __shfl_xor_sync(0xaaaaaaaa, v, 2) + __popc(__activemask());
    }""")
    a = rng.integers(0, 100, 64).astype("i4")
    out = np.zeros((10, 64), "i4")
    k.launch((1,), (64,), [a, out, np.int32(64)])
    w, lane, warp = a.reshape(2, 32), np.arange(64) % 32, np.arange(64) // 32
    assert (out[0] == np.where(lane >= 3, a[np.arange(64) - 3], a)).all()
    assert (out[1] == np.where(lane % 16 < 11, a[np.minimum(np.arange(64) + 5, 63)], a)).all()
    assert (out[2] == a[np.arange(64) ^ 9]).all()
    assert (out[3] == w[warp, a & 31]).all()
    ballots = (((w & 1).astype("u8") << np.arange(32, dtype="u8")).sum(1)).astype("u4").view("i4")
    assert (out[4] == ballots[warp]).all()
    assert (out[5] == ((w > 98).any(1) + 2)[warp]).all()
    same = ((w[:, :, None] & 3) == (w[:, None, :] & 3)).astype("u8") << np.arange(32, dtype="u8")
    assert (out[6] == same.sum(2).astype("u4").view("i4").reshape(-1)).all()
    assert (out[7] == w.sum(1)[warp]).all() and (out[8] == w.max(1)[warp]).all()
    assert (out[9] == np.where(lane & 1, a[np.arange(64) ^ 2] + 16, 0)).all()


@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomics(compiled, rng, space):
    k = compiled(f"""
    extern "C" __global__ void k(const int* a, int* bins, float* f, int* old, unsigned long long* wide) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        {
        "__shared__ int s[16]; if (threadIdx.x < 16) s[threadIdx.x] = 0; __syncthreads(); int* where = s;"
        if space == "shared"
        else "int* where = bins;"
    }
        old[i] = atomicAdd(where + (a[i] & 15), 1);
        {
        "__syncthreads(); if (threadIdx.x < 16) atomicAdd(bins + threadIdx.x, s[threadIdx.x]);"
        if space == "shared"
        else ""
    }
        atomicAdd(f, 0.5f); atomicMax(bins + 16, a[i]); atomicMin(bins + 17, a[i]); atomicOr(bins + 18, a[i]);
        atomicExch(bins + 19, 7); atomicCAS(bins + 20, 0, 5); atomicInc((unsigned*)bins + 21, 9); atomicAdd(wide, 3ull);
    }}""")
    a = rng.integers(0, 1000, 512).astype("i4")
    bins, f, old, wide = (
        np.zeros(22, "i4"),
        np.zeros(1, "f4"),
        np.zeros(512, "i4"),
        np.zeros(1, "u8"),
    )
    report = k.launch(
        (4,), (128,), [a, bins, f, old, wide], trace=True, not_on_gpu="atomics come in any order"
    )
    assert (
        (bins[:16] == np.bincount(a & 15, minlength=16)).all() and f[0] == 256 and wide[0] == 1536
    )
    assert (
        bins[16] == a.max() and bins[17] == min(0, a.min()) and bins[18] == np.bitwise_or.reduce(a)
    )
    assert bins[19] == 7 and bins[20] == 5 and bins[21] == 512 % 10
    groups = a.reshape(4, 128) if space == "shared" else a.reshape(1, 512)
    for row, ticket in zip(groups, old.reshape(groups.shape), strict=True):
        for bin in range(16):
            assert sorted(ticket[(row & 15) == bin]) == list(range(((row & 15) == bin).sum()))
    assert report.atomic_requests > 0 and report.atomic_collisions > 0


def test_spin_lock_makes_progress(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* lock, int* count) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) { *(volatile int*)count += 1; __threadfence(); atomicExch(lock, 0); done = true; }
        }
    }""")
    lock, count = np.zeros(1, "i4"), np.zeros(1, "i4")
    k.launch((2,), (32,), [lock, count])
    assert count[0] == 64


def test_named_barriers_and_barrier_reductions(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* out) {
        __shared__ int s[64];
        int t = threadIdx.x;
        s[t] = t;
        int n = __syncthreads_count(t % 3 == 0), any = __syncthreads_or(t == 63), all = __syncthreads_and(t < 63);
        if (t < 32) { asm volatile("bar.sync 1, 32;"); s[t] += 1; asm volatile("bar.sync 1, 32;"); }
        __syncthreads();
        if (t < 32) { asm volatile("bar.sync 2, 64;"); s[t] = s[t + 32]; } else { s[t] = -t; asm volatile("bar.arrive 2, 64;"); }
        __syncthreads();
        out[t] = s[t] + 1000 * n + 100000 * (any != 0) + 1000000 * (all != 0);
    }""")
    out = np.zeros(64, "i4")
    k.launch((1,), (64,), [out])
    t = np.arange(64)
    assert (out == np.where(t < 32, -(t + 32), -t) + 22000 + 100000).all()


def test_special_registers(compiled):
    k = compiled("""
    extern "C" __global__ void k(unsigned* out) {
        unsigned sm, lane, warp, lt; asm("mov.u32 %0, %smid;" : "=r"(sm)); asm("mov.u32 %0, %laneid;" : "=r"(lane));
        asm("mov.u32 %0, %warpid;" : "=r"(warp)); asm("mov.u32 %0, %lanemask_lt;" : "=r"(lt));
        long long start = clock64(); __syncthreads(); long long stop = clock64();
        int i = blockIdx.x * 64 + threadIdx.x;
        out[4 * i] = sm; out[4 * i + 1] = lane; out[4 * i + 2] = warp; out[4 * i + 3] = lt + (stop < start);
    }""")
    out = np.zeros((192, 4), "u4")
    k.launch((3,), (64,), [out], not_on_gpu="blocks go to any SM")
    i = np.arange(192)
    assert (
        (out[:, 0] == i // 64).all()
        and (out[:, 1] == i % 32).all()
        and (out[:, 2] == i % 64 // 32).all()
    )
    assert (out[:, 3] == (1 << (i % 32)) - 1).all()


def test_generic_pointers(compiled):
    """One pointer that is in global, shared or local memory, lane by lane."""
    k = compiled("""
    __noinline__ __device__ int* pick(int kind, int* a, int* b, int* c) { return kind == 0 ? a : kind == 1 ? b : c; }
    extern "C" __global__ void k(int* out, int* g) {
        __shared__ int s[32]; int t = threadIdx.x, l[2] = {300 + t, 0};
        s[t] = 200 + t; __syncthreads();
        int* p = pick(t % 3, g + t, s + t, l + (t > 40));
        *p += 1;
        out[t] = *p + l[0];
    }""")
    g, out = np.arange(100, 132).astype("i4"), np.zeros(32, "i4")
    k.launch((1,), (32,), [out, g])
    t = np.arange(32)
    assert (out == (t % 3 + 1) * 100 + t + 1 + 300 + t + (t % 3 == 2)).all()


def test_views_lie_in_their_owner(compiled):
    k = compiled("""
    extern "C" __global__ void k(float* a, float* b, long long* out) {
        out[0] = b - a; out[1] = (long long)a % 512; b[0] = a[2];
    }""")
    owner, out = np.arange(10, dtype="f4"), np.zeros(2, "i8")
    k.launch((1,), (1,), [owner, owner[3:], out])
    assert out.tolist() == [3, 0] and owner[3] == 2


def test_scalars_are_cut_as_a_launch_does(compiled):
    k = compiled('extern "C" __global__ void k(float* out, float x) { out[0] = x; }')
    out = np.zeros(1, "f4")
    k.launch((1,), (1,), [out, np.float64(1.0)])
    assert out[0] == 0  # the low half of a double


def test_memory_stays_bounded(compiled):
    import tracemalloc

    k = compiled("""
    extern "C" __global__ void k(float* a, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }""")
    a = np.zeros(1 << 20, "f4")
    tracemalloc.start()
    k.launch((4096,), (256,), [a, np.int32(len(a))])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (a == np.arange(len(a))).all() and peak < 64e6


def test_unknown_opcode_names_itself_and_its_line(compiled):
    text = """
    extern "C" __global__ void k(int* a) {
        int x;
        asm volatile("vadd.s32.s32.s32 %0, 1, 2;" : "=r"(x));
        a[0] = x; }"""
    with pytest.raises(warpemu.EmulatorError, match=r"line 4.*vadd"):
        compiled(text)
    with pytest.raises(warpemu.EmulatorError, match=r"line 4.*\.sat"):
        compiled(text.replace("vadd.s32.s32.s32 %0, 1, 2", "and.sat.b32 %0, 1, 2"))


def test_wrong_arguments(compiled):
    k = compiled('extern "C" __global__ void k(float* out, int n) { out[n] = 1; }')
    with pytest.raises(warpemu.EmulatorError, match="2 arguments"):
        k.launch((1,), (1,), [np.zeros(1, "f4")])
    with pytest.raises(warpemu.EmulatorError, match="at most 1024"):
        k.launch((1,), (2048,), [np.zeros(1, "f4"), np.int32(0)])
    assert k.parameters[0][0] == "out" and k.parameters[1][0] == "n"


def test_launch_bounds(compiled):
    k = compiled(
        'extern "C" __global__ void __launch_bounds__(128) k(int* a) { a[threadIdx.x] = 1; }'
    )
    assert k.max_threads == 128
    with pytest.raises(warpemu.EmulatorError, match="at most 128"):
        k.launch((1,), (256,), [np.zeros(256, "i4")])


def test_long_loops_are_not_endless_waits(compiled):
    """An inner loop that does the same again and again, while an outer counter goes on."""
    k = compiled("""
    extern "C" __global__ void k(const int* a, int* out, int n) {
        int s = 0;
        for (int i = 0; i < n; i++) { for (int j = 0; j < 3; j++) { s = a[j] + (s & 1); if (s > 100) s--; } }
        out[threadIdx.x] = s;
    }""")
    out = np.zeros(32, "i4")
    k.launch((1,), (32,), [np.array([5, 6, 7], "i4"), out, np.int32(3000)])
    assert (out == 7 + (6 + (5 & 1) & 1)).all()


def test_a_read_only_array_is_refused_where_the_kernel_writes(compiled):
    k = compiled('extern "C" __global__ void k(const int* a, int* b) { b[0] = a[0]; }')
    fixed = np.arange(4, dtype="i4")
    fixed.flags.writeable = False
    k.launch((1,), (1,), [fixed, np.zeros(4, "i4")])
    with pytest.raises(warpemu.EmulatorError, match="argument b.*read-only"):
        k.launch((1,), (1,), [fixed, fixed])


def test_progress_is_shown_for_long_launches(compiled, capsys, monkeypatch):
    clock = iter(range(10**6))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    k = compiled("""
    extern "C" __global__ void k(int* a, int n) { for (int i = 0; i < n; i++) a[threadIdx.x] = a[threadIdx.x] * 3 ^ i; }""")
    k.launch((1,), (32,), [np.zeros(32, "i4"), np.int32(10000)])
    assert "] 0/1 blocks, step" in capsys.readouterr().err


def test_syncwarp_waits_for_lanes_that_took_another_branch(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* out) {
        __shared__ int s[2]; int t = threadIdx.x, x = 0;
        if (t % 32 != 5) { __syncwarp(); x = s[t / 32]; if (t & 1) x += 1; }
        else { s[t / 32] = 40 + t; __syncwarp(); }
        out[t] = x;
    }""")
    out = np.zeros(64, "i4")
    k.launch((1,), (64,), [out])
    t = np.arange(64)
    assert (out == np.where(t % 32 == 5, 0, 45 + t // 32 * 32 + t % 2)).all()


def test_syncwarp_of_half_a_warp(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* out) {
        __shared__ int s[32]; int t = threadIdx.x;
        s[t] = t;
        if (t < 16) { for (int i = 0; i < t; i++) s[t] += i; __syncwarp(0xffff); out[t] = s[15 - t]; }
        else { __syncwarp(0xffff0000); out[t] = s[47 - t]; }
    }""")
    out = np.zeros(32, "i4")
    k.launch((1,), (32,), [out])
    t = np.arange(16)
    assert (out[:16] == (t + t * (t - 1) // 2)[::-1]).all() and (
        out[16:] == np.arange(31, 15, -1)
    ).all()


def test_what_a_load_read_stays_as_it_was(compiled):
    """A value that all threads read from one place, and a store to that place afterwards."""
    k = compiled("""
    extern "C" __global__ void k(int* o) {
        __shared__ int s;
        if (threadIdx.x == 0) s = 1;
        __syncthreads();
        int old = s;
        __syncthreads();
        if (threadIdx.x == 0) s = 5;
        __syncthreads();
        o[threadIdx.x] = old * 10 + s;
    }""")
    o = np.zeros(64, "i4")
    k.launch((1,), (64,), [o])
    assert (o == 15).all()


def test_reductions_of_lanes_with_different_masks(compiled):
    k = compiled("""
    extern "C" __global__ void k(int* o) {
        int t = threadIdx.x; unsigned m = __match_any_sync(~0u, t % 3);
        o[t] = __reduce_add_sync(m, t);
        o[32 + t] = __reduce_min_sync(m, t - 5); o[64 + t] = __reduce_max_sync(m, t - 5);
        o[96 + t] = __reduce_and_sync(m, t | 64); o[128 + t] = __reduce_or_sync(m, t & 19);
        o[160 + t] = __reduce_xor_sync(m, t);
    }""")
    o = np.zeros((6, 32), "i4")
    k.launch((1,), (32,), [o])
    assert o[0, :3].tolist() == [165, 176, 155]
    t = np.arange(32, dtype="i4")
    for r in range(3):
        mine = t[r::3]
        want = [
            mine.sum(),
            mine.min() - 5,
            mine.max() - 5,
            np.bitwise_and.reduce(mine | 64),
            np.bitwise_or.reduce(mine & 19),
            np.bitwise_xor.reduce(mine),
        ]
        assert (o[:, r::3] == np.array(want)[:, None]).all()


def test_too_much_static_shared_memory_is_refused(compiled):
    text = """
    extern "C" __global__ void k(int* o) {
        __shared__ int s[12288 + MORE]; s[threadIdx.x] = 1; __syncthreads(); o[threadIdx.x] = s[31 - threadIdx.x]; }"""
    compiled(text.replace("MORE", "0")).launch((1,), (32,), [np.zeros(32, "i4")])
    with pytest.raises(warpemu.EmulatorError, match="49156 bytes of static shared memory"):
        compiled(text.replace("MORE", "1"))


def test_vector_atomics(compiled, rng):
    k = compiled("""
    extern "C" __global__ void k(float4* a, float2* b, float2* old, const int* where) {
        int t = threadIdx.x;
        atomicAdd(a + where[t], make_float4(1, 2, t, -1));
        old[t] = atomicAdd(b, make_float2(1, 3));
    }""")
    where = rng.integers(0, 5, 64).astype("i4")
    a, b, old = np.zeros((5, 4), "f4"), np.zeros((1, 2), "f4"), np.zeros((64, 2), "f4")
    report = k.launch(
        (1,), (64,), [a, b, old, where], trace=True, not_on_gpu="atomics come in any order"
    )
    lanes = [np.flatnonzero(where == w) for w in range(5)]
    assert (a == [[len(w), 2 * len(w), w.sum(), -len(w)] for w in lanes]).all()
    assert (b == [[64, 192]]).all() and sorted(old[:, 0]) == list(range(64))
    assert (old[:, 1] == 3 * old[:, 0]).all() and report.atomic_requests == 4


def test_copies_of_a_part_and_of_nothing(compiled):
    """cp.async with fewer bytes to read than to write, and with a predicate to ignore the source."""
    k = compiled("""
    extern "C" __global__ void k(const unsigned char* a, uint4* o, int n) {
        __shared__ uint4 s[2][32]; int t = threadIdx.x;
        unsigned part = (unsigned)__cvta_generic_to_shared(&s[0][t]), none = (unsigned)__cvta_generic_to_shared(&s[1][t]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(part), "l"(a + 16 * t), "r"(max(0, min(16, n - 16 * t))));
        asm volatile("{ .reg .pred q; setp.ne.b32 q, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, q; }" :: "r"(none), "l"(a), "r"(t % 3));
        asm volatile("cp.async.wait_all;");
        o[t] = s[0][t]; o[32 + t] = s[1][t];
    }""")
    a, o = np.arange(1, 91, dtype="u1"), np.zeros((2, 32, 16), "u1")
    k.launch((1,), (32,), [a, o, np.int32(90)], trace=True)
    assert (o[0].reshape(-1)[:90] == a).all() and not o[0].reshape(-1)[90:].any()
    assert (o[1, ::3] == a[:16]).all() and not o[1, 1::3].any() and not o[1, 2::3].any()


@pytest.mark.parametrize("given", ["P p", "const __grid_constant__ P p"])
def test_a_parameter_indexed_at_run_time(compiled, given):
    k = compiled(f"""
    struct P {{ float v[64]; int* where; }};
    __device__ __noinline__ float pick(const P* p, int i) {{ return p->v[i]; }}
    extern "C" __global__ void k({given}, float* o) {{
        int t = threadIdx.x; o[t] = p.v[p.where[t]] {"+ pick(&p, 63 - t)" if "grid" in given else ""}; }}""")
    for k_th in range(2):  # launches may differ in it
        v, where = np.arange(64, dtype="f4") * (k_th + 1), np.arange(64, dtype="i4")[::-1].copy()
        o = np.zeros(64, "f4")
        raw = v.tobytes() + bytes(8)
        with pytest.raises(warpemu.Finding, match="null or wild"):
            k.launch((1,), (64,), [raw, o])
    k = compiled(f"""
    struct P {{ float v[64]; }};
    extern "C" __global__ void k({given}, const int* where, float* o) {{ o[threadIdx.x] = p.v[where[threadIdx.x]]; }}""")
    for scale in (1, 2):
        v = np.arange(64, dtype="f4") * scale
        report = k.launch((1,), (64,), [v.tobytes(), where, o], trace=True)
        assert (o == v[::-1]).all() and report.global_ld_requests in (2, 4)
    # NVRTC does not translate it alike each time: it may copy p to local memory first.
    said = r"at p\[256\], but p has 256|offset 256 of its local memory, which has 256"
    with pytest.raises(warpemu.Finding, match=said):
        k.launch((1,), (64,), [v.tobytes(), where + 1, o])


def test_tiles_of_several_warps(compiled):
    k = compiled("""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(int* o) {
        __shared__ int s[128]; int t = threadIdx.x;
        auto tile = cg::tiled_partition<64>(cg::this_thread_block());
        s[t] = t;
        tile.sync();
        o[t] = s[t ^ 32] + 1000 * tile.shfl(t, 5) + 1000000 * tile.any(t == 3);
    }""")
    o = np.zeros(128, "i4")
    k.launch((1,), (128,), [o])
    t = np.arange(128)
    assert (o == (t ^ 32) + 1000 * (5 + t // 64 * 64) + 1000000 * (t < 64)).all()


def test_what_a_kernel_cannot_call_here(compiled):
    with pytest.raises(warpemu.EmulatorError, match="line 2: malloc .*allocate the array before"):
        compiled("""extern "C" __global__ void k(int** o) {
            o[threadIdx.x] = (int*)malloc(16); }""")

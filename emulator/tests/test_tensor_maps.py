"""Tensor maps that a kernel makes or changes: tensormap.replace."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest

import warpemu
from warpemu import tensor_map

HOPPER = "compute_90a"
HEAD = """
template <int N> __device__ void set(unsigned map, unsigned value) {
    if (N == 0) asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" :: "l"((unsigned long long)map), "r"(value));
    if (N == 1) asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" :: "l"((unsigned long long)map), "r"(value));
    if (N == 2) asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %1;" :: "l"((unsigned long long)map), "r"(value));
    if (N == 3) asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" :: "l"((unsigned long long)map), "r"(value));
    if (N == 4) asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" :: "l"((unsigned long long)map), "r"(value));
    if (N == 5) asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, %1;" :: "l"((unsigned long long)map), "r"(value));
    if (N == 6) asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %1;" :: "l"((unsigned long long)map), "r"(value));
}
__device__ void copy_box(void* to, const void* map, int x, int y, unsigned long long* bar, int bytes) {
    unsigned b = __cvta_generic_to_shared(bar), t = __cvta_generic_to_shared(to);
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(map) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            :: "r"(t), "l"(map), "r"(x), "r"(y), "r"(b) : "memory");
    }
    unsigned done = 0;
    while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
}
"""
MADE = (
    HEAD
    + """
extern "C" __global__ void k(const float* a, unsigned long long* scratch, float* out, int rows, int cols, int x, int y) {
    __shared__ __align__(128) unsigned map[32];
    __shared__ __align__(128) float box[8 * 16];
    __shared__ unsigned long long bar;
    int t = threadIdx.x; unsigned m = __cvta_generic_to_shared(map);
    unsigned long long* mine = scratch + blockIdx.x * 16;
    map[t] = 0;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"((unsigned)__cvta_generic_to_shared(&bar)) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "l"((unsigned long long)m), "l"(a));
        set<0>(m, 1); set<1>(m, 16); set<2>(m, 8); set<3>(m, cols); set<4>(m, rows); set<5>(m, 1); set<6>(m, 1);
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" :: "l"((unsigned long long)m), "l"((unsigned long long)STRIDE));
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" :: "l"((unsigned long long)m));
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" :: "l"((unsigned long long)m));
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" :: "l"((unsigned long long)m));
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" :: "l"((unsigned long long)m));
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" :: "l"(mine), "l"((unsigned long long)m) : "memory");
    copy_box(box, mine, x, y + 8 * blockIdx.x, &bar, 512);
    for (int i = t; i < 128; i += 32) out[blockIdx.x * 128 + i] = box[i];
    __syncthreads();
    if (t < 16) mine[t] = 0;    // what a map looks like is the hardware's own business
}"""
)


def run(compiled, a, x, y, stride="cols * 4ull", sanitize=True):
    rows, cols = a.shape
    scratch, out = np.zeros(32, "u8"), np.zeros((2, 8, 16), "f4")
    args = [a, scratch, out, np.int32(rows), np.int32(cols), np.int32(x), np.int32(y)]
    k = compiled(MADE.replace("STRIDE", stride), arch=HOPPER)
    k.launch((2,), (32,), args, sanitize=sanitize)
    return out


@pytest.mark.parametrize("x, y", [(0, 0), (4, 3), (32, 5), (-4, -2)])
def test_a_map_made_from_nothing(compiled, x, y):
    a = np.arange(1, 20 * 36 + 1, dtype="f4").reshape(20, 36)
    out = run(compiled, a, x, y)
    wide = np.zeros((60, 100), "f4")
    wide[10:30, 10:46] = a
    want = wide[10 + y : 26 + y, 10 + x : 26 + x].reshape(2, 8, 16)
    assert (out == want).all()


def test_what_the_hardware_would_not_take(compiled):
    a = np.zeros((20, 36), "f4")
    said = "made by the kernel: a stride of 148 bytes"
    with pytest.raises(warpemu.Finding, match=said) as caught:
        run(compiled, a, 0, 0, "cols * 4ull + 4")
    assert caught.value.kind == "no tensor map"


CHANGED = (
    HEAD
    + """
struct __align__(64) Map { unsigned long long words[16]; };
extern "C" __global__ void k(const __grid_constant__ Map given, unsigned long long* scratch, float* out, int cols) {
    __shared__ __align__(128) unsigned long long map[16];
    __shared__ __align__(128) float box[8 * 16];
    __shared__ unsigned long long bar;
    int t = threadIdx.x; unsigned m = __cvta_generic_to_shared(map);
    if (t < 16) map[t] = given.words[t];
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"((unsigned)__cvta_generic_to_shared(&bar)) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncwarp();
    if (t == 0) set<3>(m, cols);
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" :: "l"(scratch), "l"((unsigned long long)m) : "memory");
    copy_box(box, scratch, 0, 2, &bar, 512);
    for (int i = t; i < 128; i += 32) out[i] = box[i];
    __syncwarp();
    if (t < 16) scratch[t] = 0;
}"""
)


def test_a_map_of_the_host_that_is_changed(compiled):
    """The kernel sees fewer columns than the host's map has."""
    a = np.arange(1, 20 * 36 + 1, dtype="f4").reshape(20, 36)
    fields = tensor_map.TensorMap(0, "float32", (36, 20), (144,), (16, 8), (1, 1))
    tensor_map.check(fields)
    scratch, out = np.zeros(16, "u8"), np.zeros((8, 16), "f4")
    args = [tensor_map.encode(fields, a), scratch, out, np.int32(10)]
    compiled(CHANGED, arch=HOPPER).launch((1,), (32,), args)
    want = a[2:10, :16].copy()
    want[:, 10:] = 0
    assert (out == want).all()


def test_what_is_no_map(compiled):
    a = np.zeros((20, 36), "f4")
    text = MADE.replace("map[t] = 0;", "map[t] = t;")
    k = compiled(text.replace("STRIDE", "144ull"), arch=HOPPER)
    args = [a, np.zeros(32, "u8"), np.zeros(256, "f4"), *(np.int32(n) for n in (20, 36, 0, 0))]
    with pytest.raises(warpemu.Finding, match="128 bytes that are zero, or that hold one"):
        k.launch((2,), (32,), args)

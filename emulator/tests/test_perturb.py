"""Perturbed launches: what depends on products, or on another block's shared memory, changes."""

import numpy as np
import pytest
from emulator_helpers import program
from hopper_helpers import CLUSTER, HEAD

import warpemu
from warpemu import nvrtc

KERNEL = (
    HEAD
    + CLUSTER
    + """
extern "C" __global__ void __cluster_dims__(2) k(const int* a, int* out)
{
    __shared__ u64 bar; __shared__ alignas(16) int s[64];
    __shared__ int sum, sent;
    int t = threadIdx.x, v = a[blockIdx.x * 64 + t];
    s[t] = v;
    if (t == 0) { sum = 0; sent = -1; init(&bar, 1); fence_init(); expect(&bar, 4); }
    meet();
    red(map(&sum, 0), v);
    if (t == 0) {
        int mine = 7;
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 "
            "[%0], %1, [%2];" :: "r"(map(&sent, rank() ^ 1)), "r"(mine),
            "r"(map(&bar, rank() ^ 1)) : "memory");
    }
    wait(&bar, 0);
    int read = ld(map(s + t, rank() ^ 1));
    meet();
    st(map(s + t, rank() ^ 1), v);
    meet();
    int* at = out + (blockIdx.x * 64 + t) * 4;
    at[0] = read; at[1] = s[t]; at[2] = sum; at[3] = sent;
}
"""
)


def test_what_another_block_has_arrives_as_zeros():
    a = np.arange(1, 129, dtype="i4").reshape(2, 64)
    for perturb in (None, "distant"):
        out = np.full((2, 64, 4), -1, "i4")
        settings = {"not_on_gpu": "perturbed", "perturb": perturb}
        program(KERNEL).launch((2,), (64,), [a, out], **settings)
        read, written, sums, sent = np.moveaxis(out, 2, 0)
        whole = perturb is None
        assert (read == a[::-1] * whole).all() and (written == a[::-1] * whole).all()
        assert (sums[0] == (a.sum() if whole else a[0].sum())).all() and (sums[1] == 0).all()
        assert (sent == 7 * whole).all()


MMA = """
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const __half* a, float* out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, a, 16);
    wmma::fill_fragment(c, 3.0f);
    wmma::mma_sync(c, x, y, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
"""


@pytest.mark.parametrize("key", [0, 1, 999_999])
def test_tensor_cores_multiply_other_factors_and_what_is_added_to_stays(key):
    a = np.random.default_rng(3).integers(-8, 9, (16, 16)).astype("f2")
    other = warpemu.flipped(a, key).astype("f4")
    assert (abs(other) == abs(a)).all() and 0.2 < (other != a).mean() < 0.8
    for perturb, factors in ((None, a), ("products", other), ("distant", a)):
        out = np.zeros((16, 16), "f4")
        settings = {"not_on_gpu": "perturbed", "perturb": perturb, "key": key}
        program(MMA).launch((1,), (32,), [a, out], **settings)
        factors = factors.astype("f4")
        assert (out == factors @ factors + 3).all()


def test_the_key_decides_which_factors_change_their_sign():
    values = np.linspace(-2, 2, 1000)
    turned = [warpemu.flipped(values, key) != values for key in range(5)]
    assert all(0.4 < one.mean() < 0.6 for one in turned)
    assert all((turned[0] != one).any() for one in turned[1:])
    assert not np.signbit(warpemu.flipped(np.zeros(1), 1)).any()


def test_what_cannot_be_perturbed_is_refused():
    plain = 'extern "C" __global__ void k(int* out) { out[0] = 1; }'
    with pytest.raises(warpemu.EmulatorError, match="one of products, distant, acquired, or None"):
        program(plain).launch((1,), (1,), [np.zeros(1, "i4")], perturb="loads")


def test_a_report_tells_waits_that_leave_groups_from_those_that_do_not():
    text = """
    extern "C" __global__ void k() {
        asm volatile("cp.async.wait_group 1; cp.async.wait_group 0;");
        asm volatile("cp.async.wait_group 0; cp.async.wait_all;");
    }"""
    report = warpemu.compile(nvrtc.ptx(text), "k").launch((1,), (32,), [], trace=True)
    waits = {name: n for name, n in report.opcodes.items() if "wait" in name}
    assert waits == {"cp.async.wait_group 1": 1, "cp.async.wait_group 0": 2, "cp.async.wait_all": 1}


def test_what_is_acquired_is_zero_and_other_loads_are_not():
    text = """
    extern "C" __global__ void k(int* from, int* out) {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(out[0]) : "l"(from));
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(out[1]) : "l"(from));
        asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(out[2]) : "l"(from));
        asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], 1;" : "=r"(out[3]) : "l"(from));
    }"""
    for perturb, want in ((None, [7, 7, 7, 8]), ("acquired", [0, 7, 0, 8])):
        given, out = np.array([7], "i4"), np.zeros(4, "i4")
        settings = {"not_on_gpu": "perturbed", "perturb": perturb}
        program(text).launch((1,), (1,), [given, out], **settings)
        assert out.tolist() == want and given[0] == 9

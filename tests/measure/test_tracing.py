"""trace: counts of a launch on copies of its arrays, whatever way the kernel gets at them."""

from types import SimpleNamespace

import numpy as np
import pytest

from warpbook import tensor_map, trace
from warpbook.launch import kernel, tensor_maps
from warpbook.measure import tracing
from warpemu import tensor_map as maps

TURN = r"""
extern "C" __device__ int printf(const char*, ...);
struct alignas(64) TensorMap { unsigned long long words[16]; };
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void turn(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to, int* seen)
{
    __shared__ alignas(128) int tile[8][4];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" :: "r"(at(&full)) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {4, 8}], [%2];"
            :: "r"(at(tile)), "l"(&from), "r"(at(&full)) : "memory");
    }
    __syncwarp();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" :: "r"(at(&full)) : "memory");
    int value = tile[t / 4][t % 4];
    seen[t] = value;
    if (t == 31) printf("%d %d\n", value, seen[31]);
    __syncwarp();
    tile[7 - t / 4][t % 4] = value;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (t == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, 0}], [%1];" :: "l"(&to), "r"(at(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
"""  # noqa: E501


@pytest.fixture
def turn(tmp_path):
    (tmp_path / "turn.cu").write_text(TURN, encoding="utf-8")
    return kernel.load_path(tmp_path / "turn.cu")


def test_a_trace_of_a_kernel_that_takes_tensor_maps(turn, capsys):
    """It reads and writes copies of the maps' arrays, which are those of the pointers."""
    room = np.arange(600, dtype="i4")
    from_, to = room[:512].reshape(32, 16), np.zeros((8, 4), "i4")
    args = [tensor_map(from_, (8, 4)), tensor_map(to, (8, 4)), room[512:]]
    want = room.copy()
    seen = trace(turn, 1, 32, *args)
    assert (room == want).all() and not to.any()
    assert capsys.readouterr().out == f"{from_[15, 7]} {from_[15, 7]}\n"
    assert seen.shared_ld_requests == 1 and seen.global_st_requests == 1
    turn(1, 32, *args)
    assert (to == from_[8:16, 4:8][::-1]).all()


def test_wavefronts_of_shared_memory_are_those_of_loads_and_stores():
    """A warp of 02_tiled stores a row of its tile in one, and loads a column in 32."""
    a, b = np.ones((32, 32), "f4"), np.zeros((32, 32), "f4")
    seen = trace(kernel.load("transpose/02_tiled"), 1, (32, 32), a, b, 32, 32)
    assert (seen.shared_st_wavefronts, seen.shared_ld_wavefronts) == (32, 32 * 32)
    assert seen.shared_wavefronts == 32 + 32 * 32


class OnGpu:
    """As much of a CuPy array as a tensor map and a trace ask for."""

    def __init__(self, array, base=None):
        self.array, self.base, self.data = array, base, SimpleNamespace(ptr=array.ctypes.data)
        for name in ("dtype", "shape", "strides", "itemsize", "nbytes", "ndim"):
            setattr(self, name, getattr(array, name))


class Cp:
    """CuPy."""

    ndarray = OnGpu
    asnumpy = staticmethod(lambda array: array.array.copy())


def test_on_a_gpu_a_map_of_the_drivers_becomes_the_emulators(turn, capsys, monkeypatch):
    """Its bytes tell nothing, but this process has made it."""
    made = []

    def by_driver(fields):
        made.append(fields)
        return np.random.default_rng(len(made)).integers(0, 2**62, 16, "u8").view(maps.DTYPE)[0]

    monkeypatch.setattr(tracing, "cp", Cp)
    monkeypatch.setattr(tracing, "GPU", True)
    monkeypatch.setattr(tensor_maps, "by_driver", by_driver)
    room = np.arange(600, dtype="i4")
    owner = OnGpu(room)
    from_ = OnGpu(room[64:576].reshape(32, 16), owner)
    to, seen = OnGpu(np.zeros((8, 4), "i4")), OnGpu(np.zeros(32, "i4"))
    given = [tensor_map(from_, (8, 4)), tensor_map(to, (8, 4)), seen]
    assert made[0].address == room.ctypes.data + 256
    monkeypatch.setattr(kernel.Kernel, "convert", lambda self, args: args)
    counts = trace(turn, 1, 32, *given)
    assert capsys.readouterr().out == f"{from_.array[15, 7]} {from_.array[15, 7]}\n"
    assert counts.shared_ld_requests == 1 and not to.array.any() and not seen.array.any()
    del from_, owner
    fields, found = tensor_maps.described(given[1])
    assert found is to and fields.address == 0
    assert tensor_maps.described(given[0]) is None  # its array is gone

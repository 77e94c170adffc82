"""Occupancy: as NVIDIA's own header counts it. The figure of it has its test in tests/display."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from warpbook.gpu.occupancy import occupancy, ptxas, resources
from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import load, load_path
from warpbook.profiles import SM_LIMITS
from warpemu import nvrtc

# threads, registers, shared bytes, capability, carve-out; then blocks and what decides
CASES = [
    ((256, 32, 8192, (9, 0), None), 8, ["threads", "registers"]),
    ((256, 32, 8192, (7, 5), None), 4, ["threads"]),
    ((256, 32, 8192, (9, 0), 64), 7, ["shared memory"]),
    ((32, 32, 0, (9, 0), None), 32, ["blocks"]),
    ((32, 32, 0, (8, 6), None), 16, ["blocks"]),
    ((256, 33, 0, (9, 0), None), 6, ["registers"]),
    ((96, 128, 0, (9, 0), None), 5, ["registers"]),
    ((1024, 64, 0, (8, 9), None), 1, ["threads", "registers"]),
    ((1024, 65, 0, (9, 0), None), 0, ["registers"]),
    ((288, 216, 0, (9, 0), None), 0, ["registers"]),  # 9 warps are checked as though they were 12
    ((128, 32, 232448, (9, 0), None), 1, ["shared memory"]),
    ((128, 32, 232449, (9, 0), None), 0, ["shared memory"]),
    ((128, 32, 115712, (9, 0), None), 2, ["shared memory"]),
    ((128, 32, 115713, (9, 0), None), 1, ["shared memory"]),
    ((33, 255, 0, (6, 0), None), 4, ["registers"]),
    ((128, 32, 0, (6, 1), None), 16, ["threads", "registers"]),
    ((128, 32, 49153, (6, 1), None), 0, ["shared memory"]),
    ((128, 32, 101376, (12, 0), None), 1, ["shared memory"]),
]


@pytest.mark.parametrize("given, blocks, binding", CASES)
def test_a_case_worked_by_hand(given, blocks, binding):
    found = occupancy(*given)
    assert (found.blocks, found.binding) == (blocks, binding)
    assert found.warps == blocks * -(-given[0] // 32)
    assert found.share == found.warps / (SM_LIMITS[given[3]].threads // 32)


def test_what_no_kernel_can_have_is_refused():
    for given in [(0, 32), (1025, 32), (32, 0), (32, 256), (32, 32, 0, (9, 0), 50)]:
        with pytest.raises(ValueError, match="from|levels"):
            occupancy(*given)
    with pytest.raises(LookupError, match="9.0"):
        occupancy(32, 32, 0, (5, 2))


def samples(count=3000):
    """Random configurations of every capability, with more weight where limits meet."""
    rng = random.Random(8)
    for _ in range(count):
        capability = rng.choice(list(SM_LIMITS))
        sm = SM_LIMITS[capability]
        threads = rng.choice([rng.randint(1, 1024), 32 * rng.randint(1, 32)])
        shared = rng.choice([0, rng.randint(0, 4096), rng.randint(0, 1024 * sm.block_kb)])
        carveout = rng.choice([None, *(kb for kb in sm.levels if kb)])
        yield threads, rng.randint(1, 255), shared, capability, carveout


# NVIDIA's header, which comes with the CUDA toolkit, is the reference.

PROGRAM = """
#include <cstdio>
#include <cstddef>
#include <cuda_occupancy.h>
int main() {
  int major, minor, threads, registers, most; long shared, per_sm, per_block, reserved, level;
  while (scanf("%d %d %d %d %ld %d %ld %ld %ld %ld", &major, &minor, &threads, &registers, &shared,
               &most, &per_sm, &per_block, &reserved, &level) == 10) {
    cudaOccDeviceProp p; cudaOccFuncAttributes f; cudaOccDeviceState s; cudaOccResult r;
    p.computeMajor = major; p.computeMinor = minor; p.warpSize = 32; p.numSms = 1;
    p.maxThreadsPerBlock = 1024; p.maxThreadsPerMultiprocessor = most;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.sharedMemPerBlock = 49152; p.sharedMemPerMultiprocessor = per_sm;
    p.sharedMemPerBlockOptin = per_block; p.reservedSharedMemPerBlock = reserved;
    f.maxThreadsPerBlock = 1024; f.numRegs = registers; f.sharedSizeBytes = 0;
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN; f.maxDynamicSharedSizeBytes = shared;
    f.partitionedGCConfig = PARTITIONED_GC_OFF; f.numBlockBarriers = 1;
    // per cent, rounded so that the header rounds it up to the level and no further
    s.carveoutConfig = level ? int(100 * level / per_sm) : SHAREDMEM_CARVEOUT_DEFAULT;
    int failed = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, threads, shared);
    printf("%d\\n", failed ? -1 : r.activeBlocksPerMultiprocessor);
  }
}
"""


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    """The header, compiled: a function of a list of configurations."""
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    folders = [f for f in nvrtc.headers() if Path(f[2:], "cuda_occupancy.h").is_file()]
    if not compiler or not folders:
        pytest.skip("no C++ compiler, or no cuda_occupancy.h (nvidia-cuda-runtime-cu12)")
    folder = tmp_path_factory.mktemp("header")
    (folder / "ask.cpp").write_text(PROGRAM, encoding="utf-8")
    command = [compiler, "-w", folders[0], "-o", folder / "ask", folder / "ask.cpp"]
    subprocess.run(command, check=True)

    def ask(configurations):
        lines = [line(*given) for given in configurations]
        done = subprocess.run(
            [folder / "ask"],
            input="\n".join(lines),
            encoding="utf-8",
            capture_output=True,
            check=True,
        )
        return [int(word) for word in done.stdout.split()]

    return ask


def line(threads, registers, shared, capability, carveout):
    sm = SM_LIMITS[capability]
    values = (
        *capability,
        threads,
        registers,
        shared,
        sm.threads,
        1024 * sm.levels[-1],
        1024 * sm.block_kb,
        sm.reserved,
        1024 * (carveout or 0),
    )
    return " ".join(map(str, values))


def known(header):
    """The capabilities that this version of the header knows."""
    return [c for c in SM_LIMITS if header([(32, 32, 0, c, None)]) != [-1]]


def test_python_counts_as_nvidias_header_does(header):
    there = known(header)
    assert len(there) >= 12
    given = [g for g in [*samples(), *(case for case, *_ in CASES)] if g[3] in there]
    counted = header(given)
    wrong = [
        (g, n, occupancy(*g).blocks)
        for g, n in zip(given, counted, strict=True)
        if n != occupancy(*g).blocks
    ]
    assert wrong == []
    assert len(set(counted)) > 15


# What the compiler asks for.


def test_resources_are_read_from_the_machine_code():
    few, many = (resources(load("occupancy/05_polynomial", ITEMS=n)) for n in (1, 32))
    assert few["num_regs"] <= 32 < 64 < many["num_regs"] <= 255
    assert few["local_size_bytes"] == many["local_size_bytes"] == few["shared_size_bytes"] == 0
    spilled = resources(load("occupancy/08_bounded", ITEMS=32, BLOCKS=8))
    assert spilled["num_regs"] <= 32 and spilled["local_size_bytes"] > 100


@pytest.mark.skipif(GPU, reason="a GPU's own capability cannot be replaced")
@pytest.mark.parametrize("capability", ["75", "80", "90", "120"])
@pytest.mark.parametrize(
    "declared, size", [("__shared__ float held[96];", 384), ("extern __shared__ float held[];", 0)]
)
def test_static_shared_memory_is_read_too(tmp_path, monkeypatch, capability, declared, size):
    (tmp_path / "tile.cu").write_text(
        'extern "C" __global__\nvoid tile(\n    float* out)   // [32]\n{\n'
        f"    {declared}\n    held[threadIdx.x] = threadIdx.x;\n"
        "    __syncthreads();\n    out[threadIdx.x] = held[31 - threadIdx.x];\n}\n",
        encoding="utf-8",
    )
    kernel = load_path(tmp_path / "tile.cu")
    monkeypatch.setattr(cp.cuda.Device, "compute_capability", capability)
    assert resources(kernel)["shared_size_bytes"] == size


def test_ptxas_reports_what_the_machine_code_holds():
    kernel = load("occupancy/08_bounded", ITEMS=16, BLOCKS=8)
    has, said = resources(kernel), ptxas(kernel)
    assert f"Used {has['num_regs']} registers" in said
    assert f"{has['local_size_bytes']} bytes stack frame" in said and has["local_size_bytes"] > 0
    assert "Compile time" not in said

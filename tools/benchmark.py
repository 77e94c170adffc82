"""Time the emulator: seconds for the book's kernels, and beside Numba's CUDA simulator.

    python tools/benchmark.py        (with Numba's line after `pip install numba`)

The first column runs the kernel alone, the second traces it, the third looks for faults as well.
Numba's simulator, one Python thread per CUDA thread, runs the same matmul written in Python.
"""

import os
import time
from functools import partial

import numpy as np

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # Numba reads it when it is imported
try:
    from numba import cuda  # the simulator finds it among this module's names
except ImportError:
    cuda = None

from warpbook.launch.kernel import emulate, load  # noqa: E402

SIZE, SMALL = 256, 128
BLOCK = (16, 16)


def seconds(call, runs=3):
    """The least of some runs in seconds: what the code takes when nothing else disturbs it."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def matmul(variant, size, block, grid, **defines):
    """Return a function of (trace, sanitize) that multiplies random matrices and checks them."""
    program, rng = emulate(load(variant, **defines)), np.random.default_rng(0)
    a, b = rng.random((size, size), np.float32), rng.random((size, size), np.float32)
    c, n = np.zeros_like(a), np.int32(size)
    scalars = (n, n, n, np.float32(1), np.float32(0))

    def run(trace=False, sanitize=False):
        program.launch(grid, block, (a, b, c, *scalars), trace=trace, sanitize=sanitize)
        np.testing.assert_allclose(c, a @ b, rtol=1e-4)

    return run


def simulated(size):
    """Return a function that multiplies two random matrices in Numba's simulator."""

    @cuda.jit
    def kernel(a, b, c):
        col, row = cuda.grid(2)
        if row < c.shape[0] and col < c.shape[1]:
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[row, k] * b[k, col]
            c[row, col] = total

    rng = np.random.default_rng(0)
    a, b = rng.random((size, size), np.float32), rng.random((size, size), np.float32)
    c, blocks = np.zeros_like(a), size // BLOCK[0]

    def run():
        kernel[(blocks, blocks), BLOCK](a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-4)

    return run


def main():
    """Print the table."""
    blocks = SIZE // BLOCK[0]
    cases = {
        "naive": ("matmul/02_coalesced", SIZE, BLOCK, (blocks, blocks), {}),
        "shared tiles": ("matmul/03_tiled", SIZE, BLOCK, (blocks, blocks), {"TILE": BLOCK[0]}),
        "2D thread tiles": ("matmul/08_thread_2d", SIZE, (256,), (SIZE // 128, SIZE // 128), {}),
    }
    print(f"{f'matmul {SIZE}^3, seconds':24} {'run':>8} {'traced':>8} {'checked':>8}")
    for name, (variant, size, block, grid, defines) in cases.items():
        run = matmul(variant, size, block, grid, **defines)
        row = [seconds(partial(run, *how)) for how in ((False, False), (True, False), (True, True))]
        print(f"{name:24} " + " ".join(f"{t:8.3f}" for t in row))
    if cuda is None:
        return
    blocks = SMALL // BLOCK[0]
    ours = seconds(matmul("matmul/02_coalesced", SMALL, BLOCK, (blocks, blocks)))
    theirs = seconds(simulated(SMALL), runs=1)
    print(
        f"matmul {SMALL}^3: emulator {ours:.4f} s, Numba's simulator {theirs:.2f} s: "
        f"{theirs / ours:.0f} times as fast"
    )


if __name__ == "__main__":
    main()

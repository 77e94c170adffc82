"""What the exercises of 08_occupancy ask for."""

import numpy as np

from warpbook import Case, exercise, out


@exercise(
    sizes=(1, 31, 32, 33, 1000, 4099),
    bound_share=0.6,
    gpu_size=1 << 26,
    limits={"global_ld_requests": 800},
)
def several(size, rng):
    # 36 warps load 16 coefficients each, and 129 pieces of the input: 705; as given, 2,193
    x, coeff = rng.random(size, dtype=np.float32), rng.random(16, dtype=np.float32)
    return Case(
        grid=(-(-size // 512),),
        block=(128,),
        args=(x, coeff, out(size, np.float32), size, 16),
        want=np.polyval(coeff.astype(np.float64), x.astype(np.float64)),
        bytes=8 * size,
        flops=32 * size,
    )


@exercise(sizes=(1, 31, 33, 1000, 4099), limits={"local_ld_requests": 0, "local_st_requests": 0})
def in_registers(size, rng):
    a = rng.random(size, dtype=np.float32)
    quarter, thread = (4 * a).astype(int), np.arange(size) % 256
    want = np.zeros((4, 256), np.int32)
    np.add.at(want, (quarter, thread), 1)
    return Case(grid=(4,), block=(64,), args=(a, out((4, 256), np.int32), size), want=want)


@exercise(
    sizes=(1, 31, 255, 256, 257, 1000),
    bound_share=0.6,
    gpu_size=1 << 26,
    limits={"sectors_per_ld_request": 4.0, "sectors_per_st_request": 4.0},
)
def one_tile(size, rng):
    blocks = -(-size // 256)
    a, b = (rng.random(size, dtype=np.float32) for _ in range(2))
    padded = np.pad(a - 2 * b, (0, 256 * blocks - size))
    want = padded.reshape(blocks, 256)[:, ::-1].ravel()[:size]
    return Case(
        grid=(blocks,),
        block=(256,),
        shared_bytes=4 * 256,
        args=(a, b, out(size, np.float32), size),
        want=want,
        bytes=12 * size,
    )

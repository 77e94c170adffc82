"""What the exercises of 10_caches ask for."""

import numpy as np

from warpbook import Case, exercise, out


@exercise(
    sizes=((1, 1), (3, 31), (4, 32), (17, 33), (40, 1000), (64, 256)),
    bound_share=0.4,
    gpu_size=(1 << 15, 2048),
    limits={"global_ld_sectors": 2560},
)
def rows(size, rng):
    # 64 x 256: the matrix is 2,048 sectors; 16 warps that load the vector once add 16 * 32
    n, cols = size
    matrix, vector = rng.random(size, dtype=np.float32), rng.random(cols, dtype=np.float32)
    return Case(
        grid=(-(-n // 16),),
        block=(128,),
        args=(matrix, vector, out(n, np.float32), n, cols),
        want=(matrix.astype(float) @ vector).astype(np.float32),
        bytes=4 * n * cols,
        rtol=1e-4,
    )


@exercise(
    sizes=(1, 31, 32, 33, 1000, 4097, 8192),
    bound_share=0.3,
    gpu_size=1 << 26,
    limits={"const_ld_passes": 512},
)
def table(size, rng):
    # 8,192: two blocks
    keys = rng.integers(0, 256, size, dtype=np.int32)
    return Case(
        grid=(-(-size // 4096),),
        block=(256,),
        args=(keys, out(size, np.float32), size),
        want=np.float32(1) / (keys + 1).astype(np.float32),
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 2, 31, 32, 33, 257, 1000),
    limits={"sectors_per_ld_request": 5.0, "global_ld_requests": 64},
)
def cycle(size, rng):
    # 1,000 places: 32 warps that load order[i] and the element after it
    order = rng.permutation(size).astype(np.int32)
    want = np.full(32 * size, -1, np.int32)
    want[32 * order] = 32 * np.roll(order, -1)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(order, out(32 * size, np.int32, fill=-1), size),
        want=want,
    )


@exercise(
    sizes=((1, 1), (2, 31), (3, 33), (2, 257), (3, 1000), (4, 1024)),
    bound_share=0.4,
    gpu_size=(1 << 16, 1024),
    limits={"global_ld_sectors": 512},
)
def centre(size, rng):
    # 4 x 1,024 floats are 512 sectors
    a = rng.random(size, dtype=np.float32)
    want = a - a.mean(axis=1, keepdims=True, dtype=float)
    return Case(
        grid=(size[0],),
        block=(256,),
        args=(a, out(size, np.float32), size[1]),
        want=want.astype(np.float32),
        bytes=8 * a.size,
        atol=1e-5,
    )

"""What the exercises of 05_coalescing ask for."""

import numpy as np

from warpbook import Case, exercise, out


@exercise(
    sizes=(1, 31, 32, 33, 1000, 4096),
    bound_share=0.7,
    gpu_size=1 << 26,
    limits={"sectors_per_ld_request": 4.0, "sectors_per_st_request": 4.0},
)
def fix_stride(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size // 2048),),
        block=(256,),
        args=(a, out(size, np.float32), size),
        want=2 * a,
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 31, 32, 33, 1001, 4096),
    bound_share=0.7,
    gpu_size=1 << 26,
    limits={"sectors_per_ld_request": 4.0},
)
def layout(size, rng):
    fields = rng.random((4, size), dtype=np.float32)
    mass, vx, vy, vz = fields
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(fields, out(size, np.float32), size),
        want=mass / 2 * (vx**2 + vy**2 + vz**2),
        bytes=20 * size,
    )


@exercise(
    sizes=(1, 2, 3, 4, 5, 31, 33, 1000, 4099),
    bound_share=0.8,
    gpu_size=1 << 26,
    limits={"global_ld_requests": 72, "global_st_requests": 36},
)
def vector(size, rng):
    # float4 needs 32 requests an array at 4,096 elements, float 128; the last 3 take a few more
    x, y = (rng.random(size, dtype=np.float32) for _ in range(2))
    return Case(
        grid=(-(-size // 1024),),
        block=(256,),
        args=(x, y, out(size, np.float32), size, 3.0),
        want=3 * x + y,
        bytes=12 * size,
    )


@exercise(
    sizes=((1, 0), (31, 1), (33, 7), (1000, 40), (4096, 5)),
    bound_share=0.7,
    gpu_size=(1 << 26, 5),
    limits={"sectors_per_ld_request": 4.0, "sectors_per_st_request": 4.0},
)
def align(size, rng):
    n, start = size
    a = rng.random(start + n, dtype=np.float32)
    want = np.where(np.arange(start + n) < start, np.float32(np.nan), 2 * a)  # NaN: untouched
    return Case(
        grid=(-(-(n + 31) // 256),),
        block=(256,),
        args=(a, out(start + n, np.float32), n, start),
        want=want,
        bytes=8 * n,
    )

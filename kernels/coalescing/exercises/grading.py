"""What the exercises of 05_coalescing ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out


def sectors(*shape):
    """Sectors of 32 bytes that hold so many floats."""
    return int(np.prod(shape)) / 8


@exercise(
    sizes=(1, 31, 32, 33, 1000, drawn(2049, 4096)),
    technique=(
        most("global_ld_sectors", 1.05, sectors, "Let the lanes of a warp read neighbours."),
        most("global_st_sectors", 1.05, sectors),
    ),
    bound_share=0.7,
    gpu_size=1 << 26,
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
    sizes=(1, 31, 32, 33, 1001, drawn(2048, 4096, 8)),
    technique=(most("global_ld_sectors", 1.05, lambda n: 4 * sectors(n)),),
    bound_share=0.7,
    gpu_size=1 << 26,
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
    sizes=(1, 2, 3, 4, 5, 31, 33, 1000, drawn(3000, 4099)),
    technique=(
        most(
            "global_ld_requests",
            1,  # three more for the elements behind the last whole float4
            lambda n: 2 * (-(-n // 128) + 3),
            "Load float4, both x and y.",
        ),
        most("global_st_requests", 1, lambda n: -(-n // 128) + 3, "Store float4."),
    ),
    bound_share=0.8,
    gpu_size=1 << 26,
)
def vector(size, rng):
    x, y = (rng.random(size, dtype=np.float32) for _ in range(2))
    return Case(
        grid=(-(-size // 1024),),
        block=(256,),
        args=(x, y, out(size, np.float32), size, 3.0),
        want=3 * x + y,
        bytes=12 * size,
    )


@exercise(
    sizes=((1, 0), (31, 1), (33, 7), (1000, drawn(8, 60)), (drawn(2000, 4096), drawn(1, 7))),
    technique=(
        most("global_ld_sectors", 1.05, lambda n, start: sectors(n) + 1),
        most("global_st_sectors", 1.05, lambda n, start: sectors(n) + 1),
    ),
    bound_share=0.5,
    gpu_size=(1 << 26, 5),
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

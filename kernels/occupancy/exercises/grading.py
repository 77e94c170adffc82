"""What the exercises of 10_occupancy ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


@exercise(
    sizes=(1, 31, 32, 33, 1000, drawn(3000, 4099)),
    technique=(
        most(
            "global_ld_requests",
            1.05,
            lambda n: -(-n // 32) + 4 * -(-n // 512) * 16,
            "Each coefficient once for each warp, whose threads have four values each.",
        ),
        most(
            "shared_ld_requests",
            0,
            why="Keep ITEMS chains in registers; no coefficient needs shared memory.",
        ),
    ),
    bound_share=0.6,
    gpu_size=1 << 26,
)
def several(size, rng):
    x, coeff = rng.random(size, dtype=np.float32), rng.random(16, dtype=np.float32)
    items = 8 if size == 1000 else 4
    return Case(
        grid=(-(-size // (128 * items)),),
        block=(128,),
        defines={"ITEMS": items},
        args=(x, coeff, out(size, np.float32), size, 16),
        want=np.polyval(coeff.astype(np.float64), x.astype(np.float64)),
        bytes=8 * size,
        flops=32 * size,
    )


@exercise(
    sizes=(1, 31, 33, 1000, drawn(3000, 4099)),
    technique=(
        most("local_ld_requests", 0),
        most("local_st_requests", 0),
        most("shared_bytes", 0, why="Registers, and no other memory."),
        most("global_st_requests", 1, lambda n: 4 * 8, "Store each counter once."),
    ),
)
def in_registers(size, rng):
    a = rng.random(size, dtype=np.float32)
    quarter, thread = (4 * a).astype(int), np.arange(size) % 256
    want = np.zeros((4, 256), np.int32)
    np.add.at(want, (quarter, thread), 1)
    return Case(grid=(4,), block=(64,), args=(a, out((4, 256), np.int32), size), want=want)


@exercise(
    sizes=(1, 31, 255, 256, 257, drawn(900, 1100)),
    technique=(
        most(
            "shared_bytes", 1, lambda n: 4 * 256, "The one tile that the launch gives, used twice."
        ),
        least("shared_ld_requests", 0.9, lambda n: 2 * n / 32, "Mirror both inputs in the tile."),
        most("global_ld_sectors", 1.05, lambda n: 2 * -(-n // 8)),
        most("global_st_sectors", 1.05, lambda n: -(-n // 8)),
    ),
    bound_share=0.45,
    gpu_size=1 << 26,
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

"""What the exercises of 12_caches ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


@exercise(
    sizes=((1, 1), (3, 31), (4, 32), (17, 33), (40, 1000), (drawn(49, 64), drawn(200, 256, 8))),
    technique=(
        most(
            "global_ld_sectors",
            1.05,
            lambda n, cols: (n + 4 * -(-n // 16)) * cols / 8,
            "The matrix once, and the vector once for each warp.",
        ),
        most("shared_ld_requests", 0, why="A register is enough."),
    ),
    bound_share=0.4,
    gpu_size=(1 << 15, 2048),
)
def rows(size, rng):
    n, cols = size
    matrix, vector = rng.random(size, dtype=np.float32), rng.random(cols, dtype=np.float32)
    rows = 8 if size == (40, 1000) else 4
    return Case(
        grid=(-(-n // (4 * rows)),),
        block=(128,),
        defines={"ROWS": rows},
        args=(matrix, vector, out(n, np.float32), n, cols),
        want=(matrix.astype(float) @ vector).astype(np.float32),
        bytes=4 * n * cols,
        rtol=1e-4,
    )


@exercise(
    sizes=(1, 31, 32, 33, 1000, 4097, drawn(6000, 8192)),
    technique=(
        most("const_ld_passes", 1, lambda n: 256 * -(-n // 4096)),
        least("shared_ld_requests", 0.95, lambda n: n / 32, "Look the table up in shared memory."),
    ),
    bound_share=0.3,
    gpu_size=1 << 26,
)
def table(size, rng):
    keys = rng.integers(0, 256, size, dtype=np.int32)
    return Case(
        grid=(-(-size // 4096),),
        block=(256,),
        args=(keys, out(size, np.float32), size),
        want=np.float32(1) / (keys + 1).astype(np.float32),
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 2, 31, 32, 33, 257, drawn(800, 1000)),
    technique=(
        most("global_ld_requests", 1, lambda n: 2 * -(-n // 32)),
        most("global_ld_sectors", 1.35, lambda n: 2 * n / 8, "Load `order` coalesced."),
    ),
)
def cycle(size, rng):
    # order[i] and the element after it, which straddles a sector
    order = rng.permutation(size).astype(np.int32)
    stride = 48 if size == 33 else 32
    want = np.full(stride * size, -1, np.int32)
    want[stride * order] = stride * np.roll(order, -1)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        defines={"STRIDE": stride},
        args=(order, out(stride * size, np.int32, fill=-1), size),
        want=want,
    )


@exercise(
    sizes=((1, 1), (2, 31), (3, 33), (2, 257), (3, 1000), (drawn(2, 4), drawn(800, 1024, 8))),
    technique=(
        most("global_ld_sectors", 1.05, lambda n, cols: n * cols / 8, "Read each row once."),
        most(
            "local_ld_requests", 0, why="Keep the row in registers: indices known at compile time."
        ),
    ),
    bound_share=0.4,
    gpu_size=(1 << 16, 1024),
)
def centre(size, rng):
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

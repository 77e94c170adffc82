"""What the exercises of 11_numbers ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, forbids, least, most, out


def blocks(count, size=256):
    return (-(-count // size),)


@exercise(
    sizes=(1, 31, 32, drawn(33, 999), 65536),
    technique=(
        forbids("cuda_fp16.h"),
        most("ptx cvt.f32.f16", 0, why="Take the bits apart yourself."),
    ),
)
def decode(size, rng):
    words = rng.permutation(65536)[:size].astype(np.uint16)  # at the last size, every half
    return Case(
        grid=blocks(size),
        block=(256,),
        args=(words, out(size, np.float32), size),
        want=words.view(np.float16).astype(np.float32),
        rtol=0,
        atol=0,
    )


@exercise(
    sizes=(1, 31, 32, 33, 1000, drawn(15000, 20000)),
    technique=(forbids("cuda_bf16.h"), most("ptx cvt.rn.bf16", 0, why="Round the bits yourself.")),
)
def round_bf16(size, rng):
    words = rng.integers(0, 2**32, size, np.uint32)
    words[::3] = words[::3] & 0xFFFF0000 | 0x8000  # halfway between two results
    special = [0x3F808000, 0x3F818000, 0x7F800001, 0xFFFFFFFF, 0x7F7FFFFF, 0xFF800000, 0x80000000]
    words[1::40] = rng.choice(np.array(special, np.uint32), len(words[1::40]))
    wide = words.astype(np.uint64)
    want = np.where(
        np.isnan(words.view(np.float32)), 0x7FFF, (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
    ).astype(np.uint16)
    return Case(
        grid=blocks(size),
        block=(256,),
        args=(words.view(np.float32), out(size, np.uint16), size),
        want=want,
    )


@exercise(
    sizes=(1, 2, 3, 31, 33, 1000, drawn(3000, 4097)),
    technique=(
        most("global_ld_requests", 1.12, lambda n: 2 * n / 64, "Load half2, both a and b."),
        most("global_st_requests", 1.12, lambda n: n / 64, "Store half2."),
        least("ptx fma.rn.f16x2", 0.95, lambda n: n / 64, "__hfma2 works on a pair at once."),
    ),
    bound_share=0.5,
    gpu_size=1 << 26,
)
def pairs(size, rng):
    a, b = ((4 * rng.random(size, dtype=np.float32) - 2).astype(np.float16) for _ in range(2))
    want = np.maximum(1.5 * a.astype(np.float64) + b, 0).astype(np.float16)
    return Case(
        grid=blocks(size, 512),
        block=(256,),
        args=(a, b, out(size, np.float16), size, 1.5),
        want=want,
        bytes=6 * size,
        rtol=2e-3,
        atol=2e-3,
    )


@exercise(
    sizes=((1, 1), (31, 3), (33, 32), (1000, 33), (drawn(4500, 5000), drawn(5, 9))),
    technique=(most("global_ld_requests", 1, lambda rows, cols: 2 * rows * -(-cols // 32)),),
)
def accumulate(size, rng):
    rows, cols = size
    a, b = (rng.random(size, dtype=np.float32).astype(np.float16) for _ in range(2))
    want = (a.astype(np.float64) * b).sum(axis=0)
    return Case(
        grid=blocks(cols, 32),
        block=(32,),
        args=(a, b, out(cols, np.float32), rows, cols),
        want=want,
    )


@exercise(
    sizes=((1, 1), (3, 2), (31, 33), (32, 32), (drawn(600, 800), drawn(5, 9))),
    technique=(
        most("ptx cvt.f64.f32", 0, why="A float's own losses can be collected: no double here."),
        most("global_ld_requests", 1, lambda rows, cols: rows * -(-cols // 32)),
    ),
)
def neumaier(size, rng):
    rows, cols = size
    x = rng.integers(1, 128, size) / 16  # small, and now and then a giant that goes again
    for row in range(1, rows - 2, 5):
        x[row] = rng.integers(2**26, 2**28, cols) * rng.choice([-2, 2], cols)
        x[row + 2] = 64 * rng.integers(1, 20, cols) - x[row]
    return Case(
        grid=blocks(cols, 32),
        block=(32,),
        args=(x.astype(np.float32), out(cols, np.float32), rows, cols),
        want=x.astype(np.float32).astype(np.float64).sum(axis=0),
        rtol=1e-6,
    )

# tensor_cores/triton_owner: every sum of a tile says which thread holds it.
#
# c[row, col] = the number of the thread that holds this sum of a @ b
#
# Launch:   grid (1)
# Defines:  BM = 64, BN = 64, BK = 16
# Cost:     2*BK*(BM + BN) + 4*BM*BN bytes, 2*BM*BN*BK flops
# Assumes:  sm_80
import triton
import triton.language as tl


@triton.jit
def tensor_cores_owner(
    a: "*fp16",  # [BM, BK]
    b: "*fp16",  # [BK, BN]
    c: "*i32",  # [BM, BN]
    BM: tl.constexpr = 64,
    BN: tl.constexpr = 64,
    BK: tl.constexpr = 16,
):
    row, col = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :]
    step = tl.arange(0, BK)
    a_tile = tl.load(a + row * BK + step[None, :])
    acc = tl.dot(a_tile, tl.load(b + step[:, None] * BN + col))
    # One line of PTX for each sum, executed by the thread that has it.
    thread = tl.inline_asm_elementwise(
        "mov.u32 $0, %tid.x; // $1",
        "=r,r",
        [acc],
        tl.int32,
        is_pure=False,
        pack=1,
    )
    tl.store(c + row * BN + col, thread)

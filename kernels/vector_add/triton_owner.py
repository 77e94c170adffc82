# vector_add/triton_owner: every element of a tile says which thread holds
#     it.
#
# c[i] = the number of the thread that holds element i of its tile
#
# Launch:   grid (ceil(n/BLOCK))
# Defines:  BLOCK = 1024
# Cost:     4*n bytes, 0 flops
# Assumes:  n + BLOCK <= 2^31
import triton
import triton.language as tl


@triton.jit
def vector_add_owner(
    c: "*i32",  # [n]
    n: "i32",
    BLOCK: tl.constexpr = 1024,
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # One line of PTX for each element, executed by the thread that has it.
    thread = tl.inline_asm_elementwise(
        "mov.u32 $0, %tid.x; // $1",
        "=r,r",
        [i],
        tl.int32,
        is_pure=False,
        pack=1,
    )
    tl.store(c + i, thread, i < n)

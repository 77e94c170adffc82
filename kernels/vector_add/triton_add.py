# vector_add/triton_add: a program adds BLOCK elements; which thread adds
#     which is the compiler's choice.
#
# c[i] = a[i] + b[i]
#
# Launch:   grid (ceil(n/BLOCK))
# Defines:  BLOCK = 1024
# Cost:     12*n bytes, n flops
# Assumes:  n + BLOCK <= 2^31
import triton
import triton.language as tl


@triton.jit
def vector_add_triton(
    a: "*fp32",  # [n]
    b: "*fp32",  # [n]
    c: "*fp32",  # [n]
    n: "i32",
    BLOCK: tl.constexpr = 1024,
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(a + i, inside) + tl.load(b + i, inside)
    tl.store(c + i, total, inside)

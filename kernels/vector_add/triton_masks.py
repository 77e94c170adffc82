# vector_add/triton_masks: loads and stores have a guard of their own, so
#     that the compiler can be told about one and not about the other.
#
# c[i] = a[i] + b[i]
#
# Changed:  one number n -> two, in_n for the loads and out_n for the stores
#           (from triton_add)
# Launch:   grid (ceil(out_n/BLOCK))
# Defines:  BLOCK = 1024
# Cost:     12*out_n bytes, out_n flops
# Assumes:  in_n == out_n; out_n + BLOCK <= 2^31
import triton
import triton.language as tl


@triton.jit
def vector_add_triton_masks(
    a: "*fp32",  # [in_n]
    b: "*fp32",  # [in_n]
    c: "*fp32",  # [out_n]
    in_n: "i32",
    out_n: "i32",
    BLOCK: tl.constexpr = 1024,
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(a + i, i < in_n) + tl.load(b + i, i < in_n)
    tl.store(c + i, total, i < out_n)

# softmax/triton_rows: a program holds a row; how its threads agree on the
#     maximum and the sum is the compiler's choice.
#
# out[r, c] = exp(in[r, c] - max) / sum
#
# Launch:   grid (rows)
# Defines:  SIZE = 4096, a power of two
# Cost:     8*rows*cols bytes, 3*rows*cols flops
# Assumes:  cols at most SIZE; rows*cols below 2^31
import triton
import triton.language as tl


@triton.jit
def softmax_triton(
    x: "*fp32",  # [rows, cols]
    out: "*fp32",  # [rows, cols]
    rows: "i32",
    cols: "i32",
    SIZE: tl.constexpr = 4096,
):
    col = tl.arange(0, SIZE)
    at = tl.program_id(0) * cols + col
    value = tl.load(x + at, col < cols, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + at, value / tl.sum(value, axis=0), col < cols)

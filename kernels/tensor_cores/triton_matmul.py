# tensor_cores/triton_matmul: a program computes a tile of c; tl.dot stands
#     for the tensor cores, and for all that feeds them.
#
# c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
#
# Launch:   grid (ceil(m/BM)*ceil(n/BN))
# Defines:  TYPE = fp16, BM = 128, BN = 128, BK = 64, GROUP = 8
# Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
# Assumes:  m*k, k*n and m*n below 2^31; sm_80
import triton
import triton.language as tl


@triton.jit
def tensor_cores_triton(
    a: "*TYPE",  # [m, k]
    b: "*TYPE",  # [k, n]
    c: "*TYPE",  # [m, n]
    m: "i32",
    n: "i32",
    k: "i32",
    BM: tl.constexpr = 128,
    BN: tl.constexpr = 128,
    BK: tl.constexpr = 64,
    GROUP: tl.constexpr = 8,
):
    # GROUP rows of tiles at a time, as in 10_order.
    tile = tl.program_id(0)
    across = tl.cdiv(n, BN)
    first = tile // (GROUP * across) * GROUP
    high = min(tl.cdiv(m, BM) - first, GROUP)
    within = tile % (GROUP * across)
    row = (first + within % high) * BM + tl.arange(0, BM)[:, None]
    col = within // high * BN + tl.arange(0, BN)[None, :]
    down, right = tl.arange(0, BK)[:, None], tl.arange(0, BK)[None, :]

    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        a_inside = (row < m) & (right < k - start)
        b_inside = (down < k - start) & (col < n)
        a_tile = tl.load(a + row * k + (start + right), a_inside, other=0.0)
        b_tile = tl.load(b + (start + down) * n + col, b_inside, other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
    inside = (row < m) & (col < n)
    tl.store(c + row * n + col, acc.to(c.dtype.element_ty), inside)

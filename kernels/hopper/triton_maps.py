# hopper/triton_maps: tiles come by tensor maps, which the kernel makes for
#     itself; the copy engine guards the edges.
#
# c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
#
# Changed:  pointers and masks -> tensor maps
#           (from tensor_cores/triton_matmul)
# Launch:   grid (ceil(m/BM)*ceil(n/BN))
# Defines:  TYPE = fp16, BM = 128, BN = 128, BK = 64, GROUP = 8
# Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
# Assumes:  k and n multiples of 8; sm_90a
import triton
import triton.language as tl


@triton.jit
def hopper_triton(
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
    a_map = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    b_map = tl.make_tensor_descriptor(b, [k, n], [n, 1], [BK, BN])
    c_map = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])

    # GROUP rows of tiles at a time, as in 06_order.
    tile = tl.program_id(0)
    across = tl.cdiv(n, BN)
    first = tile // (GROUP * across) * GROUP
    high = min(tl.cdiv(m, BM) - first, GROUP)
    within = tile % (GROUP * across)
    row = (first + within % high) * BM
    col = within // high * BN

    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        a_tile, b_tile = a_map.load([row, start]), b_map.load([start, col])
        acc = tl.dot(a_tile, b_tile, acc)
    c_map.store([row, col], acc.to(c.dtype.element_ty))

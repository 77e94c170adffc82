# flash_attention/triton_attention: a program has BM rows of one head; the
#     scores never leave it, and tl.dot stands for both products.
#
# o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
# s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
#
# Launch:   grid (ceil(length/BM), heads)
# Defines:  HEAD = 128, BM = 128, BN = 64
# Cost:     8*heads*length*HEAD bytes, 4*heads*length*length*HEAD flops
# Assumes:  heads*length*HEAD below 2^31; sm_80
import triton
import triton.language as tl


@triton.jit
def flash_attention_triton(
    q: "*bf16",  # [heads, length, HEAD]
    k: "*bf16",  # [heads, length, HEAD]
    v: "*bf16",  # [heads, length, HEAD]
    o: "*bf16",  # [heads, length, HEAD]
    heads: "i32",
    length: "i32",
    HEAD: tl.constexpr = 128,
    BM: tl.constexpr = 128,
    BN: tl.constexpr = 64,
):
    row = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    down, across = tl.arange(0, BN)[:, None], tl.arange(0, BN)[None, :]
    col = tl.arange(0, HEAD)[None, :]
    first = tl.program_id(1) * length * HEAD
    q_tile = tl.load(q + first + row * HEAD + col, row < length, other=0.0)

    # The largest score so far, the sum of the weights, and their values.
    high = tl.full((BM, 1), -float("inf"), tl.float32)
    total = tl.zeros((BM, 1), tl.float32)
    acc = tl.zeros((BM, HEAD), tl.float32)
    for start in range(0, length, BN):
        at = first + (start + down) * HEAD + col
        k_tile = tl.load(k + at, down < length - start, other=0.0)
        v_tile = tl.load(v + at, down < length - start, other=0.0)
        # log2(e) / sqrt(HEAD): the weights are powers of two.
        s = tl.dot(q_tile, k_tile.T) * (1.4426950408889634 * HEAD**-0.5)
        s = tl.where(across < length - start, s, -float("inf"))
        new_high = tl.maximum(high, tl.max(s, axis=1, keep_dims=True))
        weight = tl.exp2(s - new_high)
        shrink = tl.exp2(high - new_high)
        total = total * shrink + tl.sum(weight, axis=1, keep_dims=True)
        acc = tl.dot(weight.to(v_tile.dtype), v_tile, acc * shrink)
        high = new_high
    o_tile = (acc / total).to(o.dtype.element_ty)
    tl.store(o + first + row * HEAD + col, o_tile, row < length)

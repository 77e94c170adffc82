"""Triton kernels whose PTX for sm_90 lies beside this file; test_triton.py runs it.

pip install triton numpy
python emulator/tests/triton/kernels.py     (writes the PTX anew; needs no GPU)
"""

import json
import re
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

HERE = Path(__file__).parent


@triton.jit
def softmax(x, out, cols, SIZE: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, SIZE)
    v = tl.load(x + row * cols + i, mask=i < cols, other=-float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * cols + i, v / tl.sum(v, axis=0), mask=i < cols)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    j = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    step = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        x = tl.load(a + i * k + start + step[None, :], mask=i < m, other=0.0)
        y = tl.load(b + (start + step)[:, None] * n + j, mask=j < n, other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + i * n + j, total, mask=(i < m) & (j < n))


@triton.jit
def matmul_maps(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """With tensor maps that the kernel makes."""
    x = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[M, K])
    y = tl.make_tensor_descriptor(b, shape=[k, n], strides=[n, 1], block_shape=[K, N])
    z = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        total = tl.dot(x.load([i, start]), y.load([start, j]), total)
    z.store([i, j], total.to(tl.float16))


def write(kernel, types, constants):
    """Compile a kernel for sm_90 and write its PTX, and what a launch has to know."""
    names = kernel.arg_names
    signature = dict(zip(names, [*types, *["constexpr"] * len(constants)], strict=True))
    attributes = {(i,): [["tt.divisibility", 16]] for i in range(len(types))}
    source = triton.compiler.ASTSource(kernel, signature, constants, attributes)
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_stages": 3})
    text = compiled.asm["ptx"].partition("\t.section")[0]
    kept = [
        line for line in text.splitlines() if line and not re.match(r"\s*(//|\.loc|\.file)", line)
    ]
    about = {"shared": compiled.metadata.shared, "warps": compiled.metadata.num_warps}
    path = HERE / f"{kernel.fn.__name__}.ptx"
    path.write_text(f"// {json.dumps(about)}\n" + "\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    pointers = ["*fp16", "*fp16"]
    sizes = ["i32"] * 3
    write(softmax, ["*fp32", "*fp32", "i32"], {"SIZE": 1024})
    write(matmul, [*pointers, "*fp32", *sizes], {"M": 64, "N": 64, "K": 32})
    write(matmul_maps, [*pointers, "*fp16", *sizes], {"M": 64, "N": 64, "K": 32})

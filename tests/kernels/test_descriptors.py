"""A kernel of the book, changed so that a descriptor gets an address of another block."""

import numpy as np
import pytest

import warpemu
from warpbook import load
from warpemu import nvrtc, tensor_map


@pytest.mark.parametrize(
    "cluster, masked, right", [(1, False, True), (2, False, False), (2, True, True)]
)
def test_a_rank_in_a_descriptor(cluster, masked, right):
    """As on an H200: in a cluster an address has the rank of its block above the bits that a
    descriptor has room for, and without a mask the next field takes them.
    """
    text = load("hopper/07_multicast").source.unit
    mask = "(address & 0x3ffff) >> 4"
    assert mask in text
    text = text if masked else text.replace(mask, "address >> 4")
    m, n, k = 256, 256, 64
    rng = np.random.default_rng(7)
    floats = [(rng.integers(-7, 8, shape) / 4).astype("f4") for shape in ((m, k), (k, n))]
    a, b = ((x.view("u4") >> 16).astype("u2") for x in floats)  # bfloat16
    c = np.zeros((m, n), "u2")
    maps = []
    for matrix in (a, b):
        rows, columns = matrix.shape
        fields = (0, "bfloat16", (columns, rows), (2 * columns,), (64, 64), (1, 1), "none", "128B")
        maps.append(tensor_map.encode(tensor_map.TensorMap(*fields), matrix))
    ptx = nvrtc.ptx(text, options=(f"-DCLUSTER={cluster}",), arch="compute_90a")
    kernel = warpemu.compile(ptx, "hopper_multicast")
    args = [*maps, c, *map(np.int32, (m, n, k))]
    shared = 4 * (49152 + 16)
    kernel.launch((2,), (384,), args, shared, sanitize=right)
    product = (c.astype("u4") << 16).view("f4")
    assert np.allclose(floats[0] @ floats[1], product, rtol=2**-8) == right
    if not right:
        with pytest.raises(warpemu.Finding, match="multiplies .* which no thread has written"):
            kernel.launch((2,), (384,), args, shared)

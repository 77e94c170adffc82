"""A scan whose blocks look back at earlier tiles, over more blocks than run at once."""

import numpy as np
import pytest

import warpemu
from warpbook import ceil_div, load
from warpemu import nvrtc


@pytest.mark.parametrize("n", [1, 511, 513, 20_000])
@pytest.mark.parametrize("name", ["08_look_back", "09_ahead", "10_in_order"])
def test_a_scan_looks_back_over_many_tiles(name, n):
    kernel = load(f"scan/{name}", TYPE="int", THREADS=64, ITEMS=8)
    values = np.random.default_rng(n).integers(-9, 10, n).astype(np.int32)
    board = np.zeros(ceil_div(n, 512) + 1, np.uint64)
    out, _ = kernel.run(values, np.full(n, 77, np.int32), board, n)
    assert (out == np.cumsum(values)).all()


def test_a_scan_that_looks_at_later_tiles_is_refused():
    kernel = load("scan/08_look_back", THREADS=64, ITEMS=8)
    changes = {
        "tile - 1 - lane": "tile + 1 + lane",
        "other -= 32": "other += 32",
        "other < 0 ?": "other >= gridDim.x ?",
        "knows = tile == 0": "knows = tile == gridDim.x - 1",
    }
    text = kernel.source.text
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    options = ("-DTHREADS=64", "-DITEMS=8", "-lineinfo")
    program = warpemu.compile(nvrtc.ptx(text, options=options), kernel.name)
    n = 512 * 12
    args = [np.ones(n, np.float32), np.zeros(n, np.float32), np.zeros(13, np.uint64), np.int32(n)]
    with pytest.raises(warpemu.Finding, match="have not started") as caught:
        program.launch((12,), (64,), args)
    assert caught.value.kind == "endless wait"


def test_a_scan_in_order_gives_one_block_and_many_the_same_bits():
    kernel, n = load("scan/10_in_order", THREADS=64, ITEMS=8), 20_000
    values = np.random.default_rng(0).random(n, np.float32)
    outputs = []
    for blocks in (1, 3, ceil_div(n, 512)):
        board = np.zeros(ceil_div(n, 512) + 1, np.uint64)
        out = np.full(n, 77, np.float32)
        kernel((blocks,), (64,), values, out, board, n, shared_bytes=8 * 512)
        outputs.append(out)
    assert (outputs[0] == outputs[1]).all() and (outputs[0] == outputs[2]).all()

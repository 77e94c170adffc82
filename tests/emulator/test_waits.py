"""Blocks that wait for one another: for earlier ones they may, for later ones they may not."""

import numpy as np
import pytest

from warpbook import ceil_div, emulator, load
from warpbook.launch import nvrtc

CHAIN = """
extern "C" __global__ void k(volatile int* done, int* drawn, int n) {
    __shared__ int ticket;
    if (threadIdx.x == 0) ticket = TICKET;
    __syncthreads();
    if (threadIdx.x > 0) return;
    int other = WAITS;
    if (other >= 0 && other < gridDim.x)
        while (done[other] == 0) { }  // HERE
    done[ticket] = 1 + ticket;
}"""
BLOCK, DRAWN = "blockIdx.x", "atomicAdd(drawn, 1)"


def chain(ticket, waits, blocks, **options):
    text = CHAIN.replace("TICKET", ticket).replace("WAITS", waits)
    program = emulator.compile(nvrtc.ptx(text, options=("-lineinfo",)), "k", source_text=text)
    done = np.zeros(blocks, np.int32)
    arguments = [done, np.zeros(1, np.int32), np.int32(blocks)]
    program.launch((blocks,), (32,), arguments, **options)
    return done


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 40, 500])
@pytest.mark.parametrize("ticket", [BLOCK, DRAWN])
def test_blocks_may_wait_for_earlier_ones(ticket, blocks):
    assert (chain(ticket, "ticket - 1", blocks) == np.arange(blocks) + 1).all()


@pytest.mark.parametrize("blocks", [3, 8, 100])
@pytest.mark.parametrize(
    "waits", ["ticket + 1", "gridDim.x - 1 - ticket", "ticket == 0 ? gridDim.x - 1 : -1"]
)
def test_a_block_that_waits_for_a_later_one_may_hang(waits, blocks):
    with pytest.raises(emulator.Finding, match=r"Blocks from number \d+ on have not started") as it:
        chain(BLOCK, waits, blocks)
    assert it.value.kind == "endless wait"
    line = 1 + next(k for k, text in enumerate(CHAIN.split("\n")) if "HERE" in text)
    assert it.value.line == line


@pytest.mark.parametrize("waits", ["ticket ^ 1", "ticket % 2 ? ticket + 1 : -1"])
def test_a_pair_that_needs_its_later_half_is_found(waits):
    waits = waits.replace("ticket ^ 1", "ticket % 2 ? -1 : ticket + 1")
    with pytest.raises(emulator.Finding):
        chain(BLOCK, waits, 16)


def test_without_the_sanitizer_as_many_blocks_run_as_a_gpu_has_room_for():
    assert (chain(BLOCK, "ticket + 1", 100, sanitize=False) == np.arange(100) + 1).all()


@pytest.mark.parametrize("n", [1, 511, 513, 20_000])
@pytest.mark.parametrize("name", ["08_look_back", "09_ahead"])
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
    program = emulator.compile(nvrtc.ptx(text, options=options), kernel.name)
    n = 512 * 12
    args = [np.ones(n, np.float32), np.zeros(n, np.float32), np.zeros(13, np.uint64), np.int32(n)]
    with pytest.raises(emulator.Finding, match="have not started") as caught:
        program.launch((12,), (64,), args)
    assert caught.value.kind == "endless wait"

"""Blocks that wait for one another: for earlier ones they may, for later ones they may not."""

import numpy as np
import pytest

import warpemu
from warpemu import nvrtc

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
    program = warpemu.compile(nvrtc.ptx(text, options=("-lineinfo",)), "k", source_text=text)
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
    with pytest.raises(warpemu.Finding, match=r"Blocks from number \d+ on have not started") as it:
        chain(BLOCK, waits, blocks)
    assert it.value.kind == "endless wait"
    line = 1 + next(k for k, text in enumerate(CHAIN.split("\n")) if "HERE" in text)
    assert it.value.line == line


@pytest.mark.parametrize("waits", ["ticket ^ 1", "ticket % 2 ? ticket + 1 : -1"])
def test_a_pair_that_needs_its_later_half_is_found(waits):
    waits = waits.replace("ticket ^ 1", "ticket % 2 ? -1 : ticket + 1")
    with pytest.raises(warpemu.Finding):
        chain(BLOCK, waits, 16)


def test_without_the_sanitizer_as_many_blocks_run_as_a_gpu_has_room_for():
    assert (chain(BLOCK, "ticket + 1", 100, sanitize=False) == np.arange(100) + 1).all()


PROBE = """
extern "C" __global__ void k(long long* counts, int nanoseconds) {
    long long before, begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before) :: "memory");
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin) :: "memory");
    while (begin == before);
    long long cycles = clock64();
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) :: "memory");
    while (now - begin < nanoseconds);
    counts[0] = clock64() - cycles;
    counts[1] = now - begin;
}"""


@pytest.mark.parametrize("nanoseconds", [1000, 5000, 20_000])
def test_waiting_for_a_clock_ends(nanoseconds):
    """The clock of the emulator counts its steps; see PROBE of the book's timer."""
    program = warpemu.compile(nvrtc.ptx(PROBE), "k", source_text=PROBE)
    counts = np.zeros(2, np.int64)
    program.launch((1,), (32,), [counts, np.int32(nanoseconds)])
    assert counts[1] >= nanoseconds and counts[0] > 0


TIMED = """
extern "C" __global__ void k(volatile int* flag, long long* out) {
    long long start = clock64(), last = start;
    if (threadIdx.x == 40) {
        while (clock64() - start < 9000) { }
        *flag = SET;
    }
    if (threadIdx.x < 32) while (*flag == 0) last = clock64();  // HERE
    out[threadIdx.x] = last - start;
}"""


def test_a_wait_for_a_thread_that_waits_for_a_clock():
    text = TIMED.replace("SET", "1")
    program = warpemu.compile(nvrtc.ptx(text), "k", source_text=text)
    flag = np.zeros(1, np.int32)
    program.launch((1,), (64,), [flag, np.zeros(64, np.int64)])
    assert flag[0] == 1


def test_a_clock_that_decides_nothing_ends_no_wait():
    text = TIMED.replace("SET", "0")
    program = warpemu.compile(nvrtc.ptx(text, options=("-lineinfo",)), "k", source_text=text)
    with pytest.raises(warpemu.Finding, match="never get on") as found:
        program.launch((1,), (64,), [np.zeros(1, np.int32), np.zeros(64, np.int64)])
    assert found.value.kind == "endless wait"

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


GATHER = """
#include <cuda/atomic>
extern "C" __global__ void k(unsigned* count, int* x, int* out) {
    for (int round = 1; round <= 2; round++) {
        x[blockIdx.x] = blockIdx.x * round;
        MEET
        int next = x[(blockIdx.x + 1) % gridDim.x];
        count++;
        MEET
        count--;
        if (threadIdx.x == 0) out[blockIdx.x] += next;
    }
}"""
COUNTS = """FENCE __syncthreads();
        if (threadIdx.x == 0) { atomicAdd(count, 1); while (ASK < round * gridDim.x) { } }
        __syncthreads(); FENCE"""
TURNS = """__syncthreads();
        if (threadIdx.x == 0) {
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> here(count[2]), turn(count[4]);
            unsigned now = turn.load(cuda::memory_order_relaxed);
            if (here.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
                here.store(0, cuda::memory_order_relaxed);
                turn.fetch_add(1, cuda::memory_order_release);
            } else while (turn.load(cuda::memory_order_acquire) == now) __nanosleep(20);
        }
        __syncthreads();"""
BARRIERS = {
    "volatile": COUNTS.replace("ASK", "*(volatile unsigned*)count"),
    "atomic": COUNTS.replace("ASK", "atomicAdd(count, 0)"),
    "in turns": TURNS,
}


def gather(barrier, blocks, fence="__threadfence();"):
    text = GATHER.replace("MEET", BARRIERS[barrier]).replace("FENCE", fence)
    options = ("-lineinfo", "-std=c++17", *(f"-I{folder}" for folder in nvrtc.headers()))
    program = warpemu.compile(nvrtc.ptx(text, options=options), "k", source_text=text)
    count, x, out = np.zeros(8, np.uint32), np.zeros(blocks, np.int32), np.zeros(blocks, np.int32)
    program.launch((blocks,), (128,), [count, x, out])
    return out


@pytest.mark.parametrize("blocks", [2, 3, 132, 264])
@pytest.mark.parametrize("barrier", BARRIERS)
def test_a_barrier_of_the_grid_by_hand_passes_where_a_gpu_holds_all_blocks(barrier, blocks):
    wanted = (np.arange(blocks) + 1) % blocks * 3
    assert (gather(barrier, blocks) == wanted).all()


@pytest.mark.parametrize("barrier", BARRIERS)
def test_a_barrier_of_more_blocks_than_a_gpu_holds_is_found(barrier):
    with pytest.raises(warpemu.Finding, match="have not started"):
        gather(barrier, 132 * 16 + 1)


def test_a_barrier_of_the_grid_without_a_fence_is_a_race():
    with pytest.raises(warpemu.Finding) as caught:
        gather("atomic", 8, fence="")
    assert caught.value.kind == "global race"


def test_a_kernel_that_starts_again_prints_once(capsys):
    text = GATHER.replace("MEET", 'if (threadIdx.x == 0) printf("%d\\n", blockIdx.x); MEET', 1)
    text = text.replace("MEET", BARRIERS["atomic"]).replace("FENCE", "__threadfence();")
    program = warpemu.compile(nvrtc.ptx(text), "k", source_text=text)
    program.launch((8,), (128,), [np.zeros(8, np.uint32), np.zeros(8, np.int32), np.zeros(8, "i4")])
    assert sorted(capsys.readouterr().out.split()) == sorted(str(b) for b in range(8) for _ in "ab")


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

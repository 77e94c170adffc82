"""mbarriers and bulk copies: results against NumPy, phases against a plain model, planted faults.

Every fault has a twin without it, which runs clean.
"""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest
from emulator_helpers import program
from hopper_helpers import HEAD

import warpemu

KERNEL = 'extern "C" __global__ void k(const int* a, int* out, int n) {\n int t = threadIdx.x, b = blockIdx.x;\n'


def kernel(body):
    return HEAD + KERNEL + body + "\n}"


def run(body, grid=2, block=128, n=4, **settings):
    """What a kernel's ``out`` (grid * block ints, at first -1) holds after it ran on ``a``."""
    a = np.random.default_rng(3).integers(0, 1000, grid * block * n).astype("i4")
    out = np.full(grid * block, -1, "i4")
    program(kernel(body)).launch((grid,), (block,), [a, out, np.int32(n)], **settings)
    return a.reshape(grid, n, block), out.reshape(grid, block)


# What they do -----------------------------------------------------------------------------------
def test_all_threads_meet():
    a, out = run("""
        __shared__ u64 bar; __shared__ int s[128];
        if (t == 0) init(&bar, 128);
        __syncthreads();
        int sum = 0;
        for (int i = 0; i < n; i++) {
            s[t] = a[(b * n + i) * 128 + t];
            wait_token(&bar, arrive(&bar));
            sum += s[127 - t];
            wait_token(&bar, arrive(&bar));
        }
        out[b * 128 + t] = sum;
    """)
    assert (out == a.sum(axis=1)[:, ::-1]).all()


PRODUCER = """
    __shared__ u64 full[2], empty[2]; __shared__ int s[2][96];
    if (t == 0) { for (int i = 0; i < 2; i++) { init(full + i, 32); init(empty + i, 96); } }
    __syncthreads();
    if (t < 32) {
        for (int i = 0; i < n; i++) {
            wait(empty + i % 2, i / 2 % 2 ^ 1); // EMPTY
            for (int j = 0; j < 3; j++) s[i % 2][t + 32 * j] = a[(b * n + i) * 128 + t + 32 * j]; // WRITE
            arrive(full + i % 2);
        }
    } else {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            wait(full + i % 2, i / 2 % 2); // FULL
            sum += s[i % 2][127 - t]; // READ
            arrive(empty + i % 2); // GONE
        }
        out[b * 128 + t] = sum;
    }
"""


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_producer_and_three_consumers(n):
    a, out = run(PRODUCER, n=n, grid=3)
    assert (out[:, 32:] == a.sum(axis=1)[:, 95::-1]).all() and (out[:, :32] == -1).all()


def test_blocks_that_take_different_times():
    """In several chunks: block b has b % 5 + 1 stages."""
    body = PRODUCER.replace("i < n; i++", "i < b % 5 + 1; i++")
    assert body != PRODUCER
    a, out = run(body, n=5, grid=150)
    for b in range(150):
        want = a[b, : b % 5 + 1].sum(axis=0)[95::-1]
        assert (out[b, 32:] == want).all()


def test_phases_against_a_model():
    """Random arrivals by one thread: parity, token and pending count after each."""
    steps = np.random.default_rng(0).integers(0, 4, 60)
    text = (
        HEAD
        + """
    extern "C" __global__ void k(const int* steps, int* out, int n) {
        __shared__ u64 bar;
        init(&bar, 5);
        for (int i = 0; i < n; i++) {
            u64 token = 0; u32 left;
            switch (steps[i]) {
            case 0: asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(token) : "r"(at(&bar))); break;
            case 1: token = arrive(&bar); break;
            case 2: asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" :: "r"(at(&bar))); break;
            case 3: asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 16;" :: "r"(at(&bar))); break;
            }
            asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(token));
            out[3 * i] = test(&bar, 0); out[3 * i + 1] = test(&bar, 1);
            out[3 * i + 2] = steps[i] < 2 ? left : -1;
        }
    }"""
    )
    want, pending, bytes_left, phase, kept = [], 5, 0, 0, []
    for step in steps:
        before = pending
        count = {0: 2, 1: 1}.get(int(step), 0)
        if count > pending or (step == 3 and bytes_left <= 0) or (step == 2 and bytes_left >= 64):
            continue  # a count that the phase does not lack, bytes that nobody expects
        kept.append(step)
        pending -= count
        bytes_left += {2: 16, 3: -16}.get(int(step), 0)
        if pending == 0 and bytes_left == 0:
            phase, pending = phase + 1, 5
        want.append((phase % 2 == 1, phase % 2 == 0, before if count else -1))
        if pending == 0 and bytes_left > 0:  # all arrived: only the bytes are missing
            while bytes_left:
                bytes_left -= 16
                kept.append(3)
                if bytes_left == 0:
                    phase, pending = phase + 1, 5
                want.append((phase % 2 == 1, phase % 2 == 0, -1))
    out = np.zeros((len(kept), 3), "i4")
    program(text).launch((1,), (1,), [np.array(kept, "i4"), out, np.int32(len(kept))])
    assert phase > 3 and (out == np.array(want, int)).all()


def test_a_thread_drops_out():
    _, out = run("""
        __shared__ u64 bar; __shared__ int s[128];
        if (t == 0) init(&bar, 128);
        __syncthreads();
        if (t >= 64) { asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" :: "r"(at(&bar)) : "memory"); return; }
        wait_token(&bar, arrive(&bar));
        s[t] = t;
        wait_token(&bar, arrive(&bar));
        out[b * 128 + t] = s[63 - t];
    """)
    assert (out[:, :64] == np.arange(63, -1, -1)).all()


def test_two_blocks_of_arrivals_in_one_instruction():
    """64 threads arrive at an mbarrier for 32: two phases pass."""
    _, out = run("""
        __shared__ u64 bar;
        if (t == 0) init(&bar, 32);
        __syncthreads();
        if (t < 64) arrive(&bar);
        __syncthreads();
        out[b * 128 + t] = test(&bar, 0) + 2 * test(&bar, 1);
    """)
    assert (out == 2).all()


COPY = """
    __shared__ u64 bar; __shared__ alignas(16) int s[128];
    if (t == 0) { init(&bar, 1); fence_init(); }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (t == 0) { expect(&bar, 512); load(s, a + (b * n + i) * 128, 512, &bar); }
        wait(&bar, i % 2); // WAIT
        sum += s[127 - t]; // READ
        __syncthreads(); // AFTER
    }
    out[b * 128 + t] = sum;
"""


def test_a_bulk_copy():
    a, out = run(COPY, grid=3)
    assert (out == a.sum(axis=1)[:, ::-1]).all()


def test_several_copies_bring_the_bytes_of_one_phase():
    a, out = run(
        COPY.replace(
            "load(s, a + (b * n + i) * 128, 512, &bar);",
            "for (int j = 0; j < 8; j++) load(s + 16 * j, a + (b * n + i) * 128 + 16 * j, 64, &bar);",
        )
    )
    assert (out == a.sum(axis=1)[:, ::-1]).all()


def test_a_copy_lands_when_it_is_waited_for():
    """Without the sanitizer: what is read before is what was there before."""
    body = COPY.replace(
        "wait(&bar, i % 2); // WAIT\n", "s[t] = -5; int x = s[127 - t]; wait(&bar, i % 2);\n"
    )
    body = body.replace("sum += s[127 - t]; // READ", "sum += x;")
    _, out = run(body, sanitize=False, not_on_gpu="it races")
    assert (out == -5 * 4).all()


BACK = """
    __shared__ alignas(16) int s[128];
    for (int i = 0; i < n; i++) {
        s[t] = t * i + b; // WRITE
        fence_async(); // FENCE
        __syncthreads();
        if (t == 0) { store(out + b * 128, s, 512); commit(); wait_read(); } // STORE
        __syncthreads();
    }
"""


def test_a_bulk_copy_to_global_memory():
    _, out = run(BACK)
    assert (out == np.arange(128) * 3 + np.arange(2)[:, None]).all()


def test_bulk_groups_are_waited_for_in_turn():
    """Two buffers, one group on its way: wait_group.read 1."""
    _, out = run("""
        __shared__ alignas(16) int s[2][32];
        for (int i = 0; i < 4; i++) {
            if (t == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            __syncthreads();
            if (t < 32) { s[i % 2][t] = 100 * i + t; fence_async(); }
            __syncthreads();
            if (t == 0) { store(out + b * 128 + 32 * i, s[i % 2], 128); commit(); }
        }
        if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    """)
    assert (out == (np.arange(4)[:, None] * 100 + np.arange(32)).reshape(-1)).all()


def test_cp_async_arrives_when_it_has_landed():
    for form, count in (("noinc.", 128), ("", 1)):
        first = "" if form else "if (t == 0) arrive(&bar);"
        a, out = run(f"""
            __shared__ u64 bar; __shared__ alignas(16) int s[128];
            if (t == 0) init(&bar, {count});
            __syncthreads();
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(s + t)), "l"(a + b * n * 128 + t) : "memory");
            asm volatile("cp.async.mbarrier.arrive.{form}shared::cta.b64 [%0];" :: "r"(at(&bar)) : "memory");
            __syncthreads();
            {first}
            wait(&bar, 0);
            out[b * 128 + t] = s[127 - t];
        """)
        assert (out == a[:, 0, ::-1]).all()


def test_a_named_barrier_orders_its_threads_alone():
    """Of three warps two meet at barrier 1; the third learns of it from one thread, or not at all."""
    body = """
        __shared__ u64 bar; __shared__ int s[96];
        if (t == 0) init(&bar, 1);
        __syncthreads();
        if (t < 64) { s[t] = t; asm volatile("bar.sync 1, 64;" ::: "memory"); out[b * 96 + t] = s[63 - t]; }
        else { // NEXT
            if (t == 64) while (!test(&bar, 0)) { }
            __syncwarp();
            out[b * 96 + t] = s[127 - t]; // READ
        }
        if (t == 0) arrive(&bar);
    """
    run(body, block=96)
    for old, new, writer in (
        ("__syncwarp();", "", 62),
        ('asm volatile("bar.sync 1, 64;" ::: "memory");', "__syncwarp();", 63),
    ):
        with pytest.raises(warpemu.Finding) as caught:
            run(body.replace(old, new).replace("s[63 - t]", "s[t]"), block=96)
        assert caught.value.kind == "shared race"
        assert f"thread ({writer}, 0, 0) wrote" in str(caught.value)
    run(
        body.replace("bar.sync 1, 64;", "bar.sync 1, 96;").replace(
            "{ // NEXT", '{ asm volatile("bar.sync 1, 96;" ::: "memory");'
        ),
        block=96,
    )


def test_polling_with_test_wait():
    a, out = run(COPY.replace("wait(&bar, i % 2);", "while (!test(&bar, i % 2)) { }"))
    assert (out == a.sum(axis=1)[:, ::-1]).all()


# libcu++ ------------------------------------------------------------------------------------------
BARRIER = """
#include <cuda/barrier>
#include <cuda/std/utility>
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void k(const int* a, int* out, int n) {
    __shared__ barrier bar; __shared__ alignas(16) int s[128];
    int t = threadIdx.x, b = blockIdx.x, sum = 0;
    if (t == 0) { init(&bar, blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        LOAD
        sum += s[127 - t];
        bar.arrive_and_wait();
    }
    out[b * 128 + t] = sum;
}"""
LOADS = {
    "by all threads": "s[t] = a[(b * n + i) * 128 + t]; bar.arrive_and_wait();",
    "arrive, then wait": "s[t] = a[(b * n + i) * 128 + t]; auto token = bar.arrive(); bar.wait(cuda::std::move(token));",
    "a bulk copy": """barrier::arrival_token token;
        if (t == 0) {
            cuda::device::experimental::cp_async_bulk_global_to_shared(s, a + (b * n + i) * 128, 512, bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, 512);
        } else token = bar.arrive();
        bar.wait(cuda::std::move(token));""",
    "memcpy_async": """cuda::memcpy_async(s + t, a + (b * n + i) * 128 + t, sizeof(int), bar);
        bar.arrive_and_wait();""",
    "memcpy_async of one thread": """if (t == 0) cuda::memcpy_async(s, a + (b * n + i) * 128, cuda::aligned_size_t<16>(512), bar);
        bar.arrive_and_wait();""",
}


@pytest.mark.parametrize("how", LOADS)
def test_cuda_barrier(how):
    k = program(BARRIER.replace("LOAD", LOADS[how]))
    a = np.random.default_rng(1).integers(0, 1000, (2, 3, 128)).astype("i4")
    out = np.zeros((2, 128), "i4")
    k.launch((2,), (128,), [a, out, np.int32(3)])
    assert (out == a.sum(axis=1)[:, ::-1]).all()


GUIDE = """
#include <cuda/barrier>
#include <cooperative_groups.h>
extern "C" __global__ void k(const int* a, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ alignas(16) int s[128];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, a, cuda::aligned_size_t<16>(512), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[127 - threadIdx.x];
}"""


def test_memcpy_async_on_a_barrier_needs_no_fence():
    """The programming guide's own pattern: its copy is a bulk copy on Hopper."""
    k = program(GUIDE)
    assert any("bulk" in instruction.parts for instruction in k.instructions)
    a, out = np.arange(128, dtype="i4"), np.zeros(128, "i4")
    k.launch((1,), (128,), [a, out])
    assert (out == a[::-1]).all()


PIPELINE = """
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void k(const int* a, int* out, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int s[2][128];
    auto block = cooperative_groups::this_thread_block();
    int t = threadIdx.x, sum = 0;
    auto pipe = MAKE;
    for (int i = 0; i < n + 1; i++) {
        if (i < n && PRODUCES) {
            pipe.producer_acquire();
            cuda::memcpy_async(GROUP s[i & 1] FROM, a + 128 * i FROM, SIZE, pipe);
            pipe.producer_commit();
        }
        if (i > 0 && CONSUMES) {
            pipe.consumer_wait();
            sum += s[(i - 1) & 1][127 - t];
            pipe.consumer_release();
        }
    }
    out[t] = sum;
}"""
TOGETHER = {
    "MAKE": "cuda::make_pipeline(block, &state)",
    "PRODUCES": "true",
    "CONSUMES": "true",
    "GROUP": "block,",
    "FROM": "",
    "SIZE": "cuda::aligned_size_t<16>(512)",
}
PIPELINES = {
    "all together": TOGETHER,
    "each its own": TOGETHER | {"GROUP": "", "FROM": "+ t", "SIZE": "sizeof(int)"},
    "a warp produces": TOGETHER
    | {
        "MAKE": "cuda::make_pipeline(block, &state, t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer)",
        "PRODUCES": "t < 32",
        "CONSUMES": "t >= 32",
        "GROUP": "",
        "FROM": "+ 4 * t",
        "SIZE": "cuda::aligned_size_t<16>(16)",
    },
}


@pytest.mark.parametrize("how", PIPELINES)
def test_cuda_pipeline(how):
    text = PIPELINE
    for word, meant in PIPELINES[how].items():
        text = text.replace(word, meant)
    a = np.random.default_rng(1).integers(0, 1000, (5, 128)).astype("i4")
    out = np.zeros(128, "i4")
    program(text).launch((1,), (128,), [a, out, np.int32(5)])
    first = 32 if "warp" in how else 0
    assert (out[first:] == a.sum(axis=0)[::-1][first:]).all()


# Faults --------------------------------------------------------------------------------------------
FAULTS = {
    "no wait for the copy": ("unfinished copy", COPY, "wait(&bar, i % 2); // WAIT", "", "// READ"),
    "the wrong parity": (
        "wait on the wrong phase",
        COPY,
        "wait(&bar, i % 2)",
        "wait(&bar, i % 2 ^ 1)",
        "// READ",
    ),
    "the parity never changes": (
        "wait on the wrong phase",
        COPY,
        "wait(&bar, i % 2)",
        "wait(&bar, 0)",
        "// READ",
    ),
    "one thread waits": (
        "unfinished copy",
        COPY,
        "wait(&bar, i % 2);",
        "if (t == 0) wait(&bar, i % 2);",
        "// READ",
    ),
    "a stage overwritten while it is read": (
        "shared race",
        COPY,
        "__syncthreads(); // AFTER",
        "",
        "load(",
    ),
    "no fence after init": ("missing proxy fence", COPY, "fence_init(); ", "", "load("),
    "no barrier after init": (
        "shared race",
        COPY,
        "fence_init(); }\n    __syncthreads();",
        "fence_init(); }",
        "// WAIT",
    ),
    "no init": ("mbarrier not initialised", COPY, "init(&bar, 1); ", "", "expect("),
    "too few bytes": (
        "endless wait",
        COPY,
        "a + (b * n + i) * 128, 512",
        "a + (b * n + i) * 128, 496",
        "// WAIT",
    ),
    "nobody announces the bytes": ("endless wait", COPY, "expect(&bar, 512); ", "", "// WAIT"),
    "an ordinary write meanwhile": (
        "unfinished copy",
        COPY,
        "wait(&bar, i % 2); // WAIT",
        "if (t == 5) s[t] = 0; // HERE\n wait(&bar, i % 2);",
        "// HERE",
    ),
    "misaligned": ("shared misaligned", COPY, "load(s,", "load(s + 1,", "load("),
    "a size that is no multiple of 16": (
        "copy size",
        COPY,
        "128, 512, &bar",
        "128, 508, &bar",
        "load(",
    ),
    "beyond the array": (
        "global out of bounds",
        COPY,
        "a + (b * n + i) * 128",
        "a + (b * n + i + 5) * 128",
        "load(",
    ),
    "beyond shared memory": ("shared out of bounds", COPY, "load(s,", "load(s + 64,", "load("),
    "no fence before the store": (
        "missing proxy fence",
        BACK,
        "fence_async(); // FENCE",
        "",
        "// STORE",
    ),
    "no barrier before the store": (
        "missing __syncwarp",
        BACK,
        "__syncthreads();\n        if",
        "if",
        "// STORE",
    ),
    "no wait for the store": ("unfinished copy", BACK, "wait_read();", "", "// WRITE"),
    "no commit of the store": ("unfinished copy", BACK, "commit();", "", "// WRITE"),
    "no wait before exit": ("unfinished copy", BACK, "i < n; i++", "i < 1; i++", None),
    "the consumers do not let go": (
        "endless wait",
        PRODUCER,
        "arrive(empty + i % 2); // GONE",
        "",
        "// EMPTY",
    ),
    "the producer does not wait": (
        "endless wait",
        PRODUCER,
        "wait(empty + i % 2, i / 2 % 2 ^ 1); // EMPTY",
        "",
        "// FULL",
    ),
    "the producer waits for the wrong phase": (
        "endless wait",
        PRODUCER,
        "i / 2 % 2 ^ 1",
        "i / 2 % 2",
        "// EMPTY",
    ),
    "the consumers do not wait": (
        "shared race",
        PRODUCER,
        "wait(full + i % 2, i / 2 % 2); // FULL",
        "",
        "// READ",
    ),
    "too many arrivals in one": (
        "mbarrier count",
        COPY,
        "expect(&bar, 512);",
        'asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 2;" :: "r"(at(&bar))); // HERE\n',
        "// HERE",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name):
    kind, body, old, new, marker = FAULTS[name]
    assert old in body
    body = body.replace(old, new)
    if name == "no wait before exit":
        body, marker = body.replace("wait_read();", ""), "// STORE"
    with pytest.raises(warpemu.Finding) as caught:
        run(body, grid=2)
    finding = caught.value
    assert finding.kind == kind, str(finding)
    text = kernel(body)
    lines = [n for n, line in enumerate(text.splitlines(), 1) if marker in line]
    assert finding.line in lines, str(finding)


REFILL = """
    __shared__ alignas(16) int s[4][2][32]; __shared__ u64 full[4][2], gone[4];
    int warp = t / 32, lane = t % 32, sum = 0;
    if (lane == 0) {
        init(full[warp], 1); init(full[warp] + 1, 1); init(gone + warp, MANY); fence_init();
        for (int i = 0; i < 2; i++) { expect(full[warp] + i, 128); load(s[warp][i], a + (b * n + i) * 128 + 32 * warp, 128, full[warp] + i); }
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        wait(full[warp] + i % 2, i / 2 % 2);
        sum += s[warp][i % 2][31 - lane]; // READ
        MEET
        if (lane == 0 && i + 2 < n) {
            expect(full[warp] + i % 2, 128);
            load(s[warp][i % 2], a + (b * n + i + 2) * 128 + 32 * warp, 128, full[warp] + i % 2); // REFILL
        }
    }
    out[b * 128 + t] = sum;
"""


def refilled(meet, many=1):
    a, out = run(REFILL.replace("MEET", meet).replace("MANY", str(many)), grid=3)
    parts = a.reshape(3, -1, 4, 32)[:, :, :, ::-1]
    assert (out.reshape(3, 4, 32) == parts.sum(axis=1)).all()


@pytest.mark.parametrize(
    "meet, many",
    [
        ("fence_async(); __syncwarp();", 1),
        ("__syncwarp(); if (lane == 0) fence_async();", 1),
        ("__syncthreads();", 1),
        ("arrive(gone + warp); if (lane == 0) wait(gone + warp, i % 2);", 32),
        ("__syncwarp(); if (lane == 0) { arrive(gone + warp); wait(gone + warp, i % 2); }", 1),
    ],
)
def test_a_warp_refills_what_it_has_read(meet, many):
    """Behind a fence, as PTX wants it, or as kernels do that are right on GPUs."""
    refilled(meet, many)


@pytest.mark.parametrize(
    "meet",
    [
        "__syncwarp();",
        "fence_async(); __syncwarp(); sum += s[warp][i % 2][lane ^ 7] / 2000; __syncwarp();",
    ],
)
def test_a_copy_that_overtakes_reads_of_its_own_warp(meet):
    """On an H200 such a kernel gave wrong results."""
    with pytest.raises(warpemu.Finding, match="may overtake reads of its own warp") as caught:
        refilled(meet)
    assert caught.value.kind == "missing proxy fence"
    text = kernel(REFILL.replace("MEET", meet).replace("MANY", "1"))
    assert "REFILL" in text.splitlines()[caught.value.line - 1]


def test_a_deadlock_is_told_in_full():
    kind, body, old, new, _ = FAULTS["too few bytes"]
    said = r"waits for phase 0 \(parity 0\) of the mbarrier bar, which still lacks 16 bytes"
    with pytest.raises(warpemu.Finding, match=said):
        run(body.replace(old, new))
    kind, body, old, new, _ = FAULTS["the producer waits for the wrong phase"]
    with pytest.raises(warpemu.Finding, match=r"empty\[0\], which still lacks 96 of 96 arrivals"):
        run(body.replace(old, new))


def test_a_wrong_phase_is_told_in_full():
    _, body, old, new, _ = FAULTS["the wrong parity"]
    said = (
        r"while the bulk copy of line \d+ may still write it: its wait at line \d+ for parity 1 passed "
        r"at once, because that is the parity of the phase before; the copy completes phase 0, of parity 0"
    )
    with pytest.raises(warpemu.Finding, match=said):
        run(body.replace(old, new))


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;",
            "this copy|not .reduce|reduce",
        ),
        (
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%1], 1, [%1];",
            "not .mbarrier",
        ),
    ],
)
def test_what_is_not_covered_is_refused(text, said):
    body = f'__shared__ alignas(16) int s[4]; asm volatile("{text}" :: "l"(out), "r"(at(s)));'
    with pytest.raises(warpemu.EmulatorError, match=said):
        run(body)

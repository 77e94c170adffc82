"""Clusters: where blocks are, one another's shared memory, their barrier, multicast; planted faults."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import itertools

import numpy as np
import pytest
from emulator_helpers import program
from hopper_helpers import CLUSTER, HEAD

import warpemu


def kernel(body, shape="2"):
    return (
        HEAD
        + CLUSTER
        + f'extern "C" __global__ void __cluster_dims__({shape}) k(const int* a, int* out, int n) {{\n'
        + " int t = threadIdx.x, b = blockIdx.x;\n"
        + body
        + "\n}"
    )


def run(body, grid=4, block=64, size=2, n=1, **settings):
    """What ``out`` (grid, block) holds; ``a`` has as many elements."""
    a = np.random.default_rng(5).integers(0, 1000, (grid, block)).astype("i4")
    out = np.full((grid, block), -1, "i4")
    program(kernel(body, str(size))).launch((grid,), (block,), [a, out, np.int32(n)], **settings)
    return a, out


NAMES = ["clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"]


@pytest.mark.parametrize(
    "grid, shape",
    [
        ((4, 6, 2), (2, 3, 1)),
        ((8, 1, 1), (8, 1, 1)),
        ((2, 2, 4), (1, 2, 4)),
        ((3, 1, 1), (1, 1, 1)),
    ],
)
def test_where_a_block_is(grid, shape):
    registers = [f"{name}.{axis}" for name in NAMES for axis in "xyz"]
    registers += ["cluster_ctarank", "cluster_nctarank"]
    reads = "".join(
        f'asm volatile("mov.u32 %0, %%{name};" : "=r"(v)); out[b * 14 + {k}] = v;\n'
        for k, name in enumerate(registers)
    )
    text = f"""
    extern "C" __global__ void __cluster_dims__({", ".join(map(str, shape))}) k(int* out) {{
        int v, b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        {reads}
    }}"""
    out = np.zeros((int(np.prod(grid)), 14), "i4")
    program(text).launch(grid, (1,), [out])
    for z, y, x in itertools.product(*map(range, grid[::-1])):
        block = x, y, z
        inside = [b % s for b, s in zip(block, shape, strict=True)]
        want = [b // s for b, s in zip(block, shape, strict=True)]
        want += [g // s for g, s in zip(grid, shape, strict=True)] + inside + list(shape)
        want += [inside[0] + shape[0] * (inside[1] + shape[1] * inside[2]), np.prod(shape)]
        assert out[x + grid[0] * (y + grid[1] * z)].tolist() == want


EXCHANGE = """
    __shared__ int s[64];
    s[t] = a[b * 64 + t];
    meet(); // FIRST
    int sum = 0;
    for (int r = 0; r < SIZE; r++) sum += ld(map(s + (t + r) % 64, r)); // READ
    meet(); // LAST
    out[b * 64 + t] = sum;
"""


@pytest.mark.parametrize("size, grid", [(1, 3), (2, 6), (4, 8), (8, 16)])
def test_all_read_from_all(size, grid):
    a, out = run(EXCHANGE.replace("SIZE", str(size)), grid=grid, size=size)
    parts = a.reshape(-1, size, 64)
    want = sum(np.roll(parts[:, r], -r, axis=1) for r in range(size))
    assert (out.reshape(-1, size, 64) == want[:, None]).all()


def test_stores_and_atomics_in_another_block():
    a, out = run("""
        __shared__ int s[64], sum;
        if (t == 0) sum = 0;
        meet();
        st(map(s + 63 - t, rank() ^ 1), a[b * 64 + t]);
        red(map(&sum, 0), a[b * 64 + t]);
        meet();
        out[b * 64 + t] = t < 63 ? s[t] : ld(map(&sum, 0));
        meet();
    """)
    swapped = a.reshape(2, 2, 64)[:, ::-1, ::-1].reshape(4, 64)
    assert (out[:, :63] == swapped[:, :63]).all()
    assert (out[:, 63] == a.reshape(2, 128).sum(axis=1).repeat(2)).all()


def test_cooperative_groups():
    text = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void __cluster_dims__(2, 2, 1) k(const int* a, int* out) {
        __shared__ int s[64];
        auto cluster = cg::this_cluster();
        int t = threadIdx.x, b = blockIdx.y * gridDim.x + blockIdx.x;
        s[t] = a[b * 64 + t];
        cluster.sync();
        unsigned other = (cluster.block_rank() + 1) % cluster.num_blocks();
        int* theirs = cluster.map_shared_rank(s, other);
        out[b * 64 + t] = theirs[63 - t] * 100 + cluster.query_shared_rank(theirs) * 10 + cluster.query_shared_rank(s);
        cluster.sync();
        if (t < 2) atomicAdd(theirs + t, 7);
        cluster.barrier_arrive();
        cluster.barrier_wait();
        if (t < 2) out[b * 64 + t] = s[t];
    }"""
    a = np.arange(8 * 64, dtype="i4").reshape(8, 64)
    out = np.zeros_like(a)
    program(text).launch((4, 2), (64,), [a, out])
    rank = np.array([0, 1, 0, 1, 2, 3, 2, 3])
    block = np.arange(8)
    of = {(b % 4 // 2, r): b for b, r in zip(block, rank, strict=True)}
    for b in block:
        other = (rank[b] + 1) % 4
        theirs = a[of[b % 4 // 2, other]]
        assert (out[b, 2:] == theirs[::-1][2:] * 100 + other * 10 + rank[b]).all()
        assert (out[b, :2] == a[b, :2] + 7).all()


def test_is_this_address_mine():
    _, out = run("""
        __shared__ int s;
        u32 mine, any, theirs, far;
        unsigned long long p, q;
        asm volatile("cvta.shared.u64 %0, %1;" : "=l"(p) : "l"((u64)at(&s)));
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(rank() ^ 1));
        asm volatile("{.reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(mine) : "l"(p));
        asm volatile("{.reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(any) : "l"(p));
        asm volatile("{.reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(theirs) : "l"(q));
        asm volatile("{.reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(far) : "l"(q));
        out[b * 64 + t] = mine + 10 * any + 100 * theirs + 1000 * far;
    """)
    assert (out == 1011).all()


def test_an_address_says_whose_block_it_is_in():
    """Bits 24 and up are the rank, in a block's own addresses as well, generic or not: on an H200
    they spilled into a wgmma descriptor that was not masked.
    """
    _, out = run(
        """
        extern __shared__ int more[];
        __shared__ int s[64];
        u32 of;
        asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(map(s, 3)));
        u32 rest = at(s + t) << 8;
        out[b * 64 + t] = t % 8 == 0 ? at(s + t) >> 24
            : t % 8 == 1 ? at(&more[t]) >> 24
            : t % 8 == 2 ? (u32)(u64)(s + t) >> 24
            : t % 8 == 3 ? map(s + t, 2) >> 24
            : t % 8 == 4 ? map(s + t, 2) << 8 == rest
            : t % 8 == 5 ? map(s + t, rank()) == at(s + t)
            : t % 8 == 6 ? of : 7;
        """,
        size=4,
        shared_bytes=512,
    )
    rank = np.arange(4)
    want = [rank, rank, rank, 0 * rank + 2, 0 * rank + 1, 0 * rank + 1, 0 * rank + 3, 0 * rank + 7]
    assert (out == np.tile(np.stack(want, axis=1), 8)).all()


OWN = """
    __shared__ int s[64]; __shared__ u64 bar;
    if (t == 0) { init(&bar, 64); fence_init(); }
    s[t] = a[b * 64 + t];
    meet();
    int v = s[63 - t];
    if (t < 32) asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at(s + 63 - t)));
    __syncthreads();
    asm volatile("red.shared.add.s32 [%0], 1;" :: "r"(at(s + t)) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(&bar)) : "memory");
    wait(&bar, 0);
    asm volatile("st.shared::cta.s32 [%0], %1;" :: "r"(at(s + t)), "r"(s[t] + 1) : "memory");
    out[b * 64 + t] = v * 10 + s[t] - a[b * 64 + t];
"""


def test_own_shared_memory_in_a_cluster():
    """By addresses with the rank in them, in every form."""
    a, out = run(OWN, size=4)
    assert (out == a[:, ::-1] * 10 + 2).all()


@pytest.mark.parametrize(
    "old, new",
    [
        (
            '"ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at(',
            '"ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(0xffffff & at(',
        ),
        (
            '"ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at(s + 63 - t))',
            '"ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(map(s + 63 - t, rank() ^ 1))',
        ),
        ('[%0], 1;" :: "r"(at(s + t))', '[%0], 1;" :: "r"(map(s + t, rank() ^ 1))'),
        ('_, [%0];" :: "r"(at(&bar))', '_, [%0];" :: "r"(map(&bar, rank() ^ 1))'),
        ('[%0], %1;" :: "r"(at(s + t))', '[%0], %1;" :: "r"(map(s + t, rank() ^ 1))'),
    ],
)
def test_another_blocks_memory_as_if_it_were_its_own(old, new):
    """.shared alone means .shared::cta, which has no meaning in another block's memory."""
    assert old in OWN
    with pytest.raises(warpemu.Finding, match="reach the thread's own block only") as caught:
        run(OWN.replace(old, new), size=4)
    assert caught.value.kind == "shared out of bounds"


TURNS = """
    __shared__ u64 bar; __shared__ int s[64];
    if (t == 0) { init(&bar, 64); fence_init(); }
    meet();
    st(map(s + t, rank() ^ 1), a[b * 64 + t]);
    arrive_at(map(&bar, rank() ^ 1));
    wait(&bar, 0); // WAIT
    out[b * 64 + t] = s[63 - t]; // READ
    meet();
"""


def test_arrivals_at_another_blocks_mbarrier():
    a, out = run(TURNS)
    assert (out == a.reshape(2, 2, 64)[:, ::-1, ::-1].reshape(4, 64)).all()


MULTICAST = """
    __shared__ u64 bar; __shared__ alignas(16) int s[64];
    if (t == 0) { init(&bar, 1); fence_init(); }
    meet(); // READY
    if (t == 0) {
        expect(&bar, 256);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
            :: "r"(at(s + 32 * rank())), "l"(a + b * 64), "r"(128), "r"(at(&bar)), "h"((unsigned short)3) : "memory"); // COPY
    }
    wait(&bar, 0); // WAIT
    out[b * 64 + t] = s[t];
    meet(); // LAST
"""


def test_multicast():
    a, out = run(MULTICAST)
    half = a.reshape(2, 2, 64)[:, :, :32].reshape(2, 1, 64)
    assert (out.reshape(2, 2, 64) == half).all()


BETWEEN = """
    __shared__ u64 bar; __shared__ alignas(16) int s[64], d[64];
    if (t == 0) { init(&bar, 1); fence_init(); expect(&bar, 256); }
    s[t] = a[b * 64 + t];
    fence_async(); // FENCE
    meet();
    if (t == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            :: "r"(map(d, rank() ^ 1)), "r"(at(s)), "r"(256), "r"(map(&bar, rank() ^ 1)) : "memory"); // COPY
    wait(&bar, 0);
    out[b * 64 + t] = d[t];
    meet();
"""


def test_a_copy_to_another_block():
    a, out = run(BETWEEN)
    assert (out == a.reshape(2, 2, 64)[:, ::-1].reshape(4, 64)).all()


HEADERS = """
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void __cluster_dims__(2) k(const int* a, int* out) {
    __shared__ uint64_t bar; __shared__ alignas(128) int s[64];
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, a + 64 * b, 256, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) { }
    int v = s[63 - t];
    if (t == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
    ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); // READY
    unsigned other = ptx::get_sreg_cluster_ctarank() ^ 1;
    uint64_t* their_bar; int* theirs;
    asm("mapa.u64 %0, %1, %2;" : "=l"(their_bar) : "l"(&bar), "r"(other));
    asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(s + t), "r"(other));
    ptx::st_async(theirs, v, their_bar); // STORE
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 1)) { } // WAIT
    out[64 * b + t] = s[t];
    ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait();
}"""


def test_st_async_through_libcu():
    a = np.arange(256, dtype="i4").reshape(4, 64)
    out = np.zeros_like(a)
    program(HEADERS).launch((4,), (64,), [a, out])
    assert (out == a.reshape(2, 2, 64)[:, ::-1, ::-1].reshape(4, 64)).all()
    early = HEADERS.replace(
        "ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); // READY", ""
    )
    late = HEADERS.replace(
        "ptx::scope_cluster, &bar, 1)) { } // WAIT", "ptx::scope_cluster, &bar, 0)) { }"
    )
    for text, kind in ((early, "shared race"), (late, "wait on the wrong phase")):
        with pytest.raises(warpemu.Finding) as caught:
            program(text).launch((4,), (64,), [a, out])
        assert caught.value.kind == kind, str(caught.value)


SENT = """
    __shared__ u64 bar; __shared__ alignas(16) int s[64];
    if (t == 0) { init(&bar, 1); fence_init(); expect(&bar, 256); }
    meet();
    SEND // SEND
    wait(&bar, 0); // WAIT
    out[b * 64 + t] = s[t]; // READ
"""
ALIKE = 'asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" :: "r"(map(s + t, rank() ^ 1)), "r"(a[b * 64 + t]), "r"(map(&bar, rank() ^ 1)) : "memory");'
TO_ALL = 'if (t == 0) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(at(s + 32 * rank())), "l"(a + (b ^ 1) * 64 + 32 * rank()), "r"(128), "r"(at(&bar)), "h"((unsigned short)3) : "memory");'


@pytest.mark.parametrize("send", [ALIKE, TO_ALL], ids=["st.async", "multicast"])
def test_who_has_waited_for_what_was_sent_may_exit(send):
    """Without a barrier of the cluster at the end: the block that a copy goes to is there until it
    has landed, because it waits for that.
    """
    a, out = run(SENT.replace("SEND", send, 1))
    a = a.reshape(2, 2, 64)
    both = np.concatenate((a[:, 1, :32], a[:, 0, 32:]), axis=1)[:, None].repeat(2, axis=1)
    assert (out.reshape(2, 2, 64) == (both if send is TO_ALL else a[:, ::-1])).all()


@pytest.mark.parametrize("send", [ALIKE, TO_ALL], ids=["st.async", "multicast"])
@pytest.mark.parametrize(
    "changes",
    [
        {"wait(&bar, 0); // WAIT": "", "s[t]; // READ": "0;"},
        {"; // READ": "; __syncthreads(); if (t == 0) expect(&bar, 256); meet(); SEND // AGAIN"},
    ],
    ids=["never", "only once"],
)
def test_who_exits_before_what_was_sent_has_come(send, changes):
    text = SENT
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(warpemu.Finding, match="may still write shared memory") as caught:
        run(text.replace("SEND", send))
    assert caught.value.kind == "unfinished copy"


@pytest.mark.parametrize(
    "late", ["arrive_at(map(&bar, rank() ^ 1));", "st(map(s + t, rank() ^ 1), t);"]
)
def test_what_comes_after_a_block_may_have_exited(late):
    """A store, or an arrival, at a block that waited for something else."""
    with pytest.raises(warpemu.Finding) as caught:
        run(SENT.replace("SEND", ALIKE, 1) + late)
    assert caught.value.kind in ("block may have exited", "shared race"), str(caught.value)


def test_global_memory_of_a_cluster():
    """What one block writes before the cluster's barrier another reads after it."""
    body = """
        out[b * 64 + t] = a[b * 64 + t];
        meet(); // BARRIER
        int v = out[(b ^ 1) * 64 + 63 - t]; // READ
        meet();
        out[b * 64 + t] = v; // WRITE
    """
    a, out = run(body)
    assert (out == a.reshape(2, 2, 64)[:, ::-1, ::-1].reshape(4, 64)).all()
    with pytest.raises(warpemu.Finding, match="global race"):
        run(body.replace("meet(); // BARRIER", "__syncthreads();"))


def test_many_clusters_in_several_chunks():
    a, out = run(EXCHANGE.replace("SIZE", "4"), grid=1200, size=4)
    parts = a.reshape(-1, 4, 64)
    want = sum(np.roll(parts[:, r], -r, axis=1) for r in range(4))
    assert (out.reshape(-1, 4, 64) == want[:, None]).all()


LARGE = """
    __shared__ int s[256]; __shared__ u64 bar; __shared__ alignas(128) int d[256];
    if (t == 0) { init(&bar, 257); fence_init(); }
    s[t] = a[b * 256 + t]; d[t] = 0;
    fence_async(); // FENCE
    meet(); // FIRST
    int sum = 0;
    for (int r = 0; r < 8; r++) sum += ld(map(s + (t + r) % 256, r)); // READ
    if (t == 0) { expect(&bar, 1024); load(d, a + b * 256, 1024, &bar); } // COPY
    arrive_at(map(&bar, (rank() + 1) % 8));
    wait(&bar, 0); // WAIT
    sum += d[255 - t]; // USE
    meet(); // LAST
    s[t] = sum; // WRITE
    __syncthreads();
    out[b * 256 + t] = s[255 - t];
"""


def test_a_cluster_of_many_threads():
    """2048: the sanitizer then knows of warps what it else knows of threads."""
    a, out = run(LARGE, grid=48, block=256, size=8)
    parts = a.reshape(6, 8, 256)
    want = sum(np.roll(parts[:, r], -r, axis=1) for r in range(8))[:, None] + parts[:, :, ::-1]
    assert (out.reshape(6, 8, 256) == want[:, :, ::-1]).all()
    for old, new, kind in (
        ("meet(); // FIRST", "__syncthreads();", "shared race"),
        ("meet(); // LAST", "", "shared race"),
        ("fence_async(); // FENCE", "", "missing proxy fence"),
        ("wait(&bar, 0); // WAIT", "", "unfinished copy"),
    ):
        with pytest.raises(warpemu.Finding) as caught:
            run(LARGE.replace(old, new), grid=8, block=256, size=8)
        assert caught.value.kind == kind, str(caught.value)


FAULTS = {
    "no barrier before": (
        "shared race",
        EXCHANGE,
        "meet(); // FIRST",
        "__syncthreads();",
        "// READ",
    ),
    "no barrier after": ("block may have exited", EXCHANGE, "meet(); // LAST", "", "// READ"),
    "a rank that is none": ("rank out of range", EXCHANGE, "r < SIZE", "r <= SIZE", "// READ"),
    "beyond shared memory": (
        "shared out of bounds",
        EXCHANGE,
        "s + (t + r) % 64",
        "s + t + r",
        "// READ",
    ),
    "not all arrive": (
        "barrier divergence",
        EXCHANGE,
        "meet(); // LAST",
        "if (t < 32) { meet(); } else __syncthreads(); // HERE",
        "// HERE",
    ),
    "arrives twice": (
        "barrier divergence",
        EXCHANGE,
        "meet(); // FIRST",
        'asm volatile("barrier.cluster.arrive;"); meet(); // HERE',
        "// HERE",
    ),
    "a relaxed arrival": (
        "shared race",
        EXCHANGE,
        "meet(); // FIRST",
        'asm volatile("barrier.cluster.arrive.relaxed;\\nbarrier.cluster.wait;" ::: "memory");',
        "// READ",
    ),
    "no wait for the neighbour": ("shared race", TURNS, "wait(&bar, 0); // WAIT", "", "// READ"),
    "init unknown to the neighbour": (
        "shared race",
        TURNS,
        "meet();\n    st(",
        "__syncthreads();\n    st(",
        "arrive_at(",
    ),
    "a multicast into a block that is not ready": (
        "shared race",
        MULTICAST,
        "meet(); // READY",
        "__syncthreads();",
        "// COPY",
    ),
    "a mask beyond the cluster": (
        "multicast mask",
        MULTICAST,
        "(unsigned short)3",
        "(unsigned short)7",
        "// COPY",
    ),
    "an mbarrier's address without its rank": (
        "shared out of bounds",
        MULTICAST,
        '"r"(at(&bar)), "h"',
        '"r"(at(&bar) & 0xffffff), "h"',
        "// COPY",
    ),
    "too few bytes announced": (
        "endless wait",
        MULTICAST,
        "expect(&bar, 256)",
        "expect(&bar, 384)",
        "// WAIT",
    ),
    "no fence before the copy": (
        "missing proxy fence",
        BETWEEN,
        "fence_async(); // FENCE",
        "",
        "// COPY",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name):
    kind, body, old, new, marker = FAULTS[name]
    assert old in body
    body = body.replace(old, new).replace("SIZE", "2")
    with pytest.raises(warpemu.Finding) as caught:
        run(body)
    finding = caught.value
    assert finding.kind == kind, str(finding)
    lines = [n for n, line in enumerate(kernel(body).splitlines(), 1) if marker in line]
    assert any(finding.line in (n, n - 1) for n in lines), str(finding)


def test_a_relaxed_arrival_after_a_fence_is_enough():
    run(
        EXCHANGE.replace("SIZE", "2").replace(
            "meet(); // FIRST",
            'asm volatile("fence.acq_rel.cluster;\\nbarrier.cluster.arrive.relaxed.aligned;\\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");',
        )
    )


def test_clusters_that_no_gpu_starts():
    with pytest.raises(warpemu.EmulatorError, match="5 is not a multiple"):
        run(EXCHANGE.replace("SIZE", "2"), grid=5)
    text = EXCHANGE.replace("SIZE", "16")
    k = program(kernel(text).replace("__cluster_dims__(2)", ""))
    a = np.arange(32 * 64, dtype="i4").reshape(32, 64)
    out = np.zeros_like(a)
    k.launch(
        (32,), (64,), [a, out, np.int32(1)], cluster=(16,), not_on_gpu="it needs launch attributes"
    )
    assert (out[:16] == out[0]).all() and (out[16:] == out[16]).all() and (out[0] != out[16]).all()
    with pytest.raises(warpemu.EmulatorError, match="allows 16 at most"):
        k.launch((32,), (64,), [a, out, np.int32(1)], cluster=(32,), not_on_gpu="refused")
    with pytest.raises(warpemu.EmulatorError, match="need a launch that asks for them"):
        run(text, grid=32, size=16)


COUNTED = """
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int* out, int other) {
    __shared__ __align__(16) int s[1024 + 32];
    unsigned rank, mine = (unsigned)__cvta_generic_to_shared(s), far;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    int lane = threadIdx.x, value = lane;
    unsigned to = other < 2 ? rank ^ other : lane % 2;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(mine), "r"(to));
    for (int i = lane; i < 1024 + 32; i += 32) s[i] = i;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (WHAT == 0) asm volatile("st.shared::cluster.s32 [%1], %0;" :: "r"(value),
        "r"(far + 128 * lane + 64 * rank) : "memory");
    if (WHAT == 1) asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value)
        : "r"(far + 128 * lane) : "memory");
    if (WHAT == 2) asm volatile("atom.shared::cluster.add.s32 %0, [%1], 1;" : "=r"(value)
        : "r"(far + 128 * lane) : "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    out[blockIdx.x * 32 + lane] = value;
}"""


@pytest.mark.parametrize(
    "what, counts",
    [
        (0, ([64, 0, 32], [0, 0, 0], [0, 0, 0])),
        (1, ([0, 0, 0], [64, 0, 32], [0, 0, 0])),
        (2, ([0, 0, 0], [0, 0, 0], [2, 0, 2])),
    ],
)
def test_only_lanes_that_ask_their_own_block_count(what, counts):
    """As on an H200, by the profiler: 32 wavefronts a request of stride 32 where a block maps its
    own rank, none where it maps another one; of 16 lanes each, 16.
    """
    k = program(COUNTED.replace("WHAT", str(what)))
    found = []
    for other in (0, 1, 2):  # all lanes their own block, all the other one, half of them each
        both = "two blocks add to each number: either may come first"
        report = k.launch(
            (2,),
            (32,),
            [np.zeros(64, "i4"), np.int32(other)],
            not_on_gpu=both if (what, other) == (2, 2) else "",
            trace=True,
            sanitize=False,
        )
        found.append(
            (report.shared_st_wavefronts - 66, report.shared_ld_wavefronts, report.atomic_requests)
        )
    assert tuple(list(column) for column in zip(*found, strict=True)) == counts

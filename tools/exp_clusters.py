"""Chapter 21, clusters: every number that the page needs. <= 60 s on an H200; runs small in the emulator.

PYTHONPATH=<checkout>; prints and writes $OUT/clusters.txt. Needs cuda.bindings for what is marked [16].
"""

import ctypes
import os
import sys
import time
import traceback
from pathlib import Path

import numpy as np

REPO = Path(os.environ.get("REPO", Path(__file__).resolve().parent))
sys.path.insert(0, str(REPO))
import warpbook
from warpbook import bench, check, device, load, poisoned, profile
from warpbook.launch.backend import GPU

cp = warpbook.cp
OUT = open(Path(os.environ.get("OUT", "/tmp")) / "clusters.txt", "w")
T0 = time.time()
PARTS = []


def say(*words):
    line = " ".join(str(w) for w in words)
    print(line, flush=True)
    OUT.write(line + "\n")
    OUT.flush()


def part(fn):
    PARTS.append(fn)
    return fn


def tried(what, fn):
    try:
        return fn()
    except Exception as error:
        say("FAILED", what, type(error).__name__, str(error)[:400])
        return None


def table(t):
    say(t.to_string())


try:
    from cuda.bindings import driver
except Exception as why:
    driver = None
    say("no cuda.bindings:", why)


def done(answer):
    error, *rest = answer
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(error))
    return rest[0] if len(rest) == 1 else rest


class Sized:
    """A kernel whose cluster size comes with the launch: the attribute in the source is cut out."""

    def __init__(self, kernel, cluster, shared_bytes=0):
        text = kernel.source.text.replace("__cluster_dims__(CLUSTER)", "")
        self.raw = cp.RawKernel(text, kernel.name, options=("-std=c++17", *kernel.options))
        if shared_bytes > 48 << 10:
            self.raw.max_dynamic_shared_size_bytes = shared_bytes
        self.f = driver.CUfunction(self.raw.kernel.ptr)
        self.cluster, self.shared, self.kernel = cluster, shared_bytes, kernel
        if cluster > 8:
            which = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            done(driver.cuFuncSetAttribute(self.f, which, 1))

    def config(self, grid, block):
        c = driver.CUlaunchConfig()
        c.gridDimX, c.gridDimY, c.gridDimZ = grid, 1, 1
        c.blockDimX, c.blockDimY, c.blockDimZ = block, 1, 1
        c.sharedMemBytes = self.shared
        c.hStream = driver.CUstream(cp.cuda.get_current_stream().ptr)
        attribute, value = driver.CUlaunchAttribute(), driver.CUlaunchAttributeValue()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.cluster, 1, 1
        attribute.value = value
        c.attrs, c.numAttrs = [attribute], 1
        return c

    def fits(self, block, grid=0):
        return done(driver.cuOccupancyMaxActiveClusters(self.f, self.config(grid or self.cluster, block)))

    def __call__(self, grid, block, *args):
        values, types = [], []
        for a in self.kernel.convert(args):
            if hasattr(a, "data") and hasattr(a.data, "ptr"):
                values.append(a.data.ptr), types.append(ctypes.c_void_p)
            else:
                values.append(a.item())
                types.append(ctypes.c_float if a.dtype.kind == "f" else ctypes.c_int)
        done(driver.cuLaunchKernelEx(self.config(grid, block), self.f, (tuple(values), tuple(types)), 0))


def kernel_of(name, cluster, shared_bytes=0, **defines):
    """call(grid, block, *args), whatever the cluster's size."""
    k = load(name, CLUSTER=cluster, **defines)
    if cluster > 8:
        return Sized(k, cluster, shared_bytes)
    return lambda grid, block, *args: k(grid, block, *args, shared_bytes=shared_bytes)


SIZES = (1, 2, 4, 8, 16) if GPU and driver else (1, 2, 4, 8)
RNG = cp.random.default_rng(21)
SMS = cp.cuda.Device().attributes["MultiProcessorCount"]


@part
def a_exchange():
    """Right at odd sizes, on the hardware; 16 by cuda.bindings; does __cluster_dims__(16) work plainly?"""
    rng = np.random.default_rng(0)
    for c in SIZES:
        for n in (1, 777, 100_003 if GPU else 5003):
            a = cp.asarray(rng.random(n, dtype=np.float32))
            blocks = -(-n // (256 * c)) * c
            padded = np.zeros(blocks * 256, "f4")
            padded[:n] = cp.asnumpy(a)
            want = np.roll(padded.reshape(-1, c, 256), -1, axis=1).reshape(-1)[:n]
            out = poisoned(n)
            kernel_of("clusters/01_exchange", c)(blocks, 256, a, out, n)
            check(out, cp.asarray(want))
    say("exchange right at", SIZES)
    if GPU and driver:
        def plain16():
            k = load("clusters/01_exchange", CLUSTER=16)
            a, out = RNG.random(8192, dtype=np.float32), poisoned(8192)
            try:
                k(32, 256, a, out, 8192)
                cp.cuda.Device().synchronize()
                say("plain launch of __cluster_dims__(16): worked without any attribute")
            except Exception as error:
                say("plain launch of __cluster_dims__(16) refused:", str(error)[:200])
            which = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            f = driver.CUfunction(k._run.raw.kernel.ptr)
            say("max dynamic etc; set non-portable:", driver.cuFuncSetAttribute(f, which, 1))
            k(32, 256, a, out, 8192)
            cp.cuda.Device().synchronize()
            say("plain launch of __cluster_dims__(16) with the function attribute: worked",
                bool((out.reshape(-1, 16, 256) == cp.roll(a.reshape(-1, 16, 256), -1, axis=1)).all()))
        tried("plain 16", plain16)

        def seventeen():
            s = Sized(load("clusters/03_places", CLUSTER=2), 32)
            s(32, 128, cp.zeros(32, np.int32), 32)
        tried("cluster of 32 (should be refused)", seventeen)


@part
def b_fits():
    if not (GPU and driver):
        return
    for shared in (0, 32 << 10, 64 << 10, 100 << 10, 200 << 10):
        for threads in (128, 1024):
            row = {c: Sized(load("clusters/03_places", CLUSTER=c), c, shared).fits(threads) for c in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)}
            say(f"active clusters, {shared >> 10} KB, {threads} threads:", row,
                "SMs left:" if shared > 114 << 10 else "", {c: SMS - c * n for c, n in row.items()} if shared > 114 << 10 else "")


@part
def c_places():
    """Which SMs ever share a cluster: the GPCs. And how many SMs a full grid of clusters leaves idle."""
    if not (GPU and driver):
        return
    shared = 200 << 10
    joined = list(range(SMS))

    def root(x):
        while joined[x] != x:
            x = joined[x]
        return x

    for c in (2, 8, 16):
        s = Sized(load("clusters/03_places", CLUSTER=c), c, shared)
        for _ in range(60):
            blocks = c * 64
            out = cp.full(blocks, -1, np.int32)
            s(blocks, 128, out, blocks)
            for row in cp.asnumpy(out).reshape(-1, c).tolist():
                assert len(set(row)) == c, row
                for other in row[1:]:
                    joined[root(other)] = root(row[0])
        groups = {}
        for x in range(SMS):
            groups.setdefault(root(x), []).append(x)
        say(f"after clusters of {c}: groups of SMs that ever met:", sorted((len(g) for g in groups.values()), reverse=True))
    say("the groups:", [g for g in groups.values()])
    used = {}
    for c in SIZES:
        s = Sized(load("clusters/03_places", CLUSTER=c), c, shared)
        blocks = c * 4096
        out = cp.full(blocks, -1, np.int32)
        s(blocks, 1024, out, blocks)
        used[c] = len(set(cp.asnumpy(out).tolist()))
    say("SMs ever used by a long grid, 1 block each:", used)


@part
def d_launch():
    """Empty blocks: a small grid, and a long one (rate of starting)."""
    contest = {}
    for threads in (128, 1024):
        for blocks in (128, 1 << 14) if GPU else (16,):
            for c in SIZES:
                k = kernel_of("clusters/03_places", c, THREADS=threads)
                out = cp.zeros(blocks, np.int32)
                contest[f"{blocks} x {threads}, cluster {c}"] = (lambda k=k, b=blocks, t=threads, o=out: k(b, t, o, b))
    table(bench(**contest))
    if GPU:  # by graph: back to back
        stream = cp.cuda.Stream(non_blocking=True)
        for c in (1, 2, 4, 8):
            k = load("clusters/03_places", CLUSTER=c)
            out = cp.zeros(128, np.int32)
            with stream:
                k(128, 128, out, 128)
                stream.begin_capture()
                for _ in range(100):
                    k(128, 128, out, 128)
                graph = stream.end_capture()
                graph.launch(stream)
                begin, end = cp.cuda.Event(), cp.cuda.Event()
                begin.record(stream), graph.launch(stream), end.record(stream)
            stream.synchronize()
            say(f"graph of 100, 128 blocks, cluster {c}: us a launch", round(10 * cp.cuda.get_elapsed_time(begin, end), 3))


@part
def e_barriers():
    rounds = 1000 if GPU else 4
    for threads in (256, 1024):
        for store in (0, 1):
            for kind in (0, 1, 2):
                row = {}
                for c in SIZES:
                    blocks = 16
                    k = kernel_of("clusters/04_barriers", c, BARRIER=kind, STORE=store)
                    out, cycles = cp.zeros(blocks * threads, np.int32), cp.zeros(blocks, np.int64)
                    for _ in range(2):
                        k(blocks, threads, out, cycles, blocks, rounds)
                    check(out, cp.full(out.size, rounds, np.int32))
                    row[c] = round(float(np.median(cp.asnumpy(cycles))) / rounds, 1)
                say(f"cycles a barrier, {threads} threads, store {store},",
                    ("__syncthreads", "cluster relaxed", "cluster release")[kind], row)


@part
def f_chase():
    rng = np.random.default_rng(1)
    n, hops = (2048, 8192) if GPU else (32, 20)
    order = np.concatenate(([0], rng.permutation(n - 1) + 1)).astype(np.int32)
    ring = np.empty(n, np.int32)
    ring[order] = np.roll(order, -1)
    ring = cp.asarray(ring)

    def cycles(c, mapped, owner):
        k = kernel_of("clusters/05_chase", c, MAPPED=mapped)
        took = []
        for _ in range(5):
            end, time_ = poisoned(1, cp.int32), poisoned(1, cp.int64)
            k(c, 256, ring, end, time_, n, owner, hops)
            check(end, cp.asarray(order[hops % n:hops % n + 1]))
            took.append(float(time_[0]) / hops)
        return round(min(took), 1)

    say("own, LDS:", cycles(1, 0, 0), "own, in a cluster of 2, LDS:", cycles(2, 0, 0))
    for c in SIZES:
        say(f"cluster {c}, mapped, by owner:", [cycles(c, 1, o) for o in range(c)])
    chase = load("caches/01_chase")
    for name, lines in (("L1 16 KB", 128), ("L2 4 MB", 1 << 15), ("DRAM 1 GB", 1 << 23)) if GPU else ():
        later = cp.random.permutation(lines - 1) + 1
        places = cp.concatenate((cp.zeros(1, later.dtype), later)).astype(cp.int32) * 32
        nxt = cp.empty(lines * 32, cp.int32)
        nxt[places] = cp.roll(places, -1)
        end, time_ = chase.run(nxt, poisoned(1, cp.int32), poisoned(1, cp.int64), min(lines, 1 << 19) if lines <= 1 << 19 else 0, 1 << 14)
        say(name, "cycles a hop", round(float(time_[0]) / (1 << 14), 1))


@part
def g_read():
    rounds = 256 if GPU else 1
    blocks = SMS // 16 * 16 if GPU else 16
    block = 1024 if GPU else 64
    size_bytes = 64 << 10 if GPU else 1 << 10
    clock = device().clock_mhz

    def one(c, mapped, far, width, deep, several=1):
        size = size_bytes // (4 * width)
        k = kernel_of("clusters/06_read", c, size_bytes, MAPPED=mapped, WIDTH=width, DEEP=deep)
        grid = blocks * several
        x = RNG.random(grid * size * width, dtype=np.float32)
        out = poisoned(grid * block)
        k(grid, block, x, out, grid, size, far, 2)
        h, b = cp.asnumpy(x).reshape(grid, size, width).sum(axis=2), np.arange(grid)
        steps = (np.arange(block)[:, None] + block * np.arange(2 * deep)) % size
        check(out, cp.asarray(h[b // c * c + (b + far) % c][:, steps].sum(axis=2).reshape(-1)), rtol=1e-4)
        moved = 4 * width * deep * rounds * grid * block
        return (lambda: k(grid, block, x, out, grid, size, far, rounds)), moved

    plan = {"own LDS 1": (1, 0, 0, 4, 8), "own LDS in 2": (2, 0, 0, 4, 8), "mapped own 1": (1, 1, 0, 4, 8),
            "own LDS 1 w1": (1, 0, 0, 1, 8), "mapped own 1 w1": (1, 1, 0, 1, 8)}
    for c in SIZES[1:]:
        plan[f"mapped own, cluster {c}"] = c, 1, 0, 4, 8
        for far in sorted({1, c // 2, c - 1}):
            plan[f"cluster {c} far {far}"] = c, 1, far, 4, 8
        plan[f"cluster {c} far 1 w1"] = c, 1, 1, 1, 8
        plan[f"cluster {c} far 1 deep 2"] = c, 1, 1, 4, 2
    contest, moved = {}, {}
    for name, p in plan.items():
        made = tried(name, lambda p=p: one(*p))
        if made:
            contest[name], moved[name] = made
    if GPU:
        values = RNG.random(1 << 28, dtype=np.float32)
        out = cp.empty(2 * SMS * 1024, cp.float32)
        reread = load("caches/02_reread")
        for mb in (8, 1024):
            name = f"past L1, {mb} MB"
            contest[name] = lambda mb=mb: reread(2 * SMS, 1024, values, out, mb << 16, 64)
            moved[name] = 16 * 8 * 64 * 2 * SMS * 1024
    t = bench(bytes=moved, **contest)
    if GPU:
        t["bytes/clk/SM"] = [(round(g * 1e3 / clock / blocks, 1)) for g in t.gb_per_s]
    table(t)


@part
def h_histogram():
    n = 1 << 28 if GPU else 5003
    x = RNG.random(n, dtype=np.float32)
    same = cp.full(n, 0.3, np.float32)
    few = x[:1_000_003] if GPU else x

    def shared_ok(bins, c):
        return 4 * bins // c <= 227 << 10

    def counted(k, values, bins, grid, block):
        counts = cp.zeros(bins, np.int32)
        k(grid, block, values, counts, values.size, 0.0, float(bins))
        return counts

    for log in (14, 16, 17, 19) if GPU else (12,):
        bins = 1 << log
        want = cp.bincount((few * cp.float32(bins)).astype(cp.int32), minlength=bins)
        contest, grid = {}, SMS // 16 * 16 if GPU else 16
        glob = load("histogram/07_floats", BINS=bins, SHARED=0)
        contest["global"] = lambda: glob.run(x, cp.zeros(bins, np.int32), n, 0.0, float(bins))
        if shared_ok(bins, 1):
            own = load("histogram/07_floats", BINS=bins, THREADS=1024, PER_SM=1)
            contest["one block, 07_floats"] = lambda: own.run(x, cp.zeros(bins, np.int32), n, 0.0, float(bins))
        for c in SIZES:
            if not shared_ok(bins, c):
                continue
            for name in ("07_spread", "08_alone"):
                if name == "08_alone":
                    if c > 8:
                        k0 = load("clusters/08_alone", CLUSTER=c, BINS=bins)
                        k = lambda g, b, *a, k0=k0, s=4 * bins // c: k0(g, b, *a, shared_bytes=s)
                    else:
                        k = kernel_of("clusters/08_alone", c, 4 * bins // c, BINS=bins)
                else:
                    k = kernel_of("clusters/07_spread", c, 4 * bins // c, BINS=bins)
                try:
                    check(counted(k, few, bins, grid, 1024 if GPU else 64), want)
                except Exception as error:
                    say("FAILED", name, c, bins, str(error)[:300])
                    continue
                contest[f"{name} {c}"] = lambda k=k: counted(k, x, bins, grid, 1024 if GPU else 64)
                if 4 * bins // c <= 100 << 10 and log in (14, 16):  # two blocks an SM
                    contest[f"{name} {c}, {2 * grid} blocks"] = lambda k=k: counted(k, x, bins, 2 * grid, 1024 if GPU else 64)
                if log == 16 and c in (2, 8):
                    contest[f"{name} {c}, equal"] = lambda k=k: counted(k, same, bins, grid, 1024 if GPU else 64)
        if log == 16:
            contest["global, equal"] = lambda: glob.run(same[:n // 64], cp.zeros(bins, np.int32), n // 64, 0.0, float(bins))
        t = bench(bytes=4 * n, **contest)
        t["G/s"] = [round(n / 1e6 / m, 1) for m in t.ms]
        say("bins", bins)
        table(t)


@part
def i_rows():
    total = 1 << 28 if GPU else 1 << 12
    x = RNG.random(total, dtype=np.float32)
    y = cp.empty(total, np.float32)
    for log in (14, 17, 18, 20) if GPU else (10,):
        cols = 1 << log
        rows = total // cols
        contest = {}
        for name in ("09_twice", "10_kept"):
            for c in SIZES:
                shared = 4 * -(-cols // c) if name == "10_kept" else 0
                if shared > 226 << 10 or (name == "09_twice" and c == 16 and log < 16):
                    continue

                def make(name=name, c=c, shared=shared):
                    k = kernel_of("clusters/" + name, c, shared)
                    r, w = (3, cols - 1) if rows >= 3 else (1, cols - 1)
                    part_ = x[: r * w]
                    got = poisoned((r, w))
                    k(c * r, 512 if GPU else 64, part_.reshape(r, w), got, r, w)
                    p = part_.reshape(r, w)
                    check(got, p - p.mean(axis=1, dtype=np.float64)[:, None], atol=1e-5)
                    rx, ry = x.reshape(rows, cols), y.reshape(rows, cols)
                    return lambda: k(c * rows, 512 if GPU else 64, rx, ry, rows, cols)

                made = tried(f"{name} {c} {cols}", make)
                if made:
                    contest[f"{name} {c}"] = made
        if GPU:
            contest["device copy"] = lambda: cp.cuda.runtime.memcpyAsync(y.data.ptr, x.data.ptr, 4 * total, 3, cp.cuda.get_current_stream().ptr)
        say(f"rows {rows} of {cols}")
        table(bench(bytes=8 * total, **contest))


@part
def j_multicast():
    quads = 1 << 19 if GPU else 1024
    blocks = 2 * (SMS // 16 * 16) if GPU else 16
    block = 256 if GPU else 64
    x = RNG.random((quads, 4), dtype=np.float32)
    s = RNG.random(blocks, dtype=np.float32)
    contest = {}
    want = s.astype(np.float64)[:, None] * x.sum(axis=1, dtype=np.float64).reshape(-1, block).sum(axis=0)
    plan = [("11_copies", c, 512, 4) for c in SIZES] + [("12_multicast", c, 512, 4) for c in SIZES[1:]]
    plan += [(name, 2, chunk, st) for name in ("11_copies", "12_multicast") for chunk, st in ((256, 8), (1024, 2), (256, 4))]
    for name, c, chunk, st in plan:
        def make(name=name, c=c, chunk=chunk, st=st):
            k = kernel_of("clusters/" + name, c, CHUNK=chunk, STAGES=st)
            out = poisoned(blocks * block)
            k(blocks, block, x, s, out, blocks, quads)
            check(out, want.reshape(-1), rtol=1e-4)
            return lambda: k(blocks, block, x, s, out, blocks, quads)
        made = tried(f"{name} {c} {chunk} {st}", make)
        if made:
            contest[f"{name} {c} chunk {chunk} stages {st}"] = made
    moved = dict.fromkeys(contest, 16 * quads * blocks)
    for name, c in [("11_copies", c) for c in (1, 2, 4, 8)] + [("12_multicast", c) for c in (2, 4, 8)]:
        for relaxed in (0, 1):
            def more(name=name, c=c, relaxed=relaxed):
                book = load("clusters/" + name, CLUSTER=c)
                text = book.source.text
                if relaxed:  # for its time only: it promises nothing about the reads before it
                    text = text.replace("__cluster_barrier_arrive();         // the stage", "__cluster_barrier_arrive_relaxed(); // the stage")
                    assert text != book.source.text
                raw = cp.RawKernel(text, book.name, options=("-std=c++17", *book.options))
                several = 3 * blocks
                s3, out = RNG.random(several, dtype=np.float32), poisoned(several * block)
                want3 = s3.astype(np.float64)[:, None] * x.sum(axis=1, dtype=np.float64).reshape(-1, block).sum(axis=0)
                run = lambda: raw((several,), (block,), (x, s3, out, np.int32(several), np.int32(quads)))
                run()
                check(out, want3.reshape(-1), rtol=1e-4)
                return run
            made = tried(f"{name} {c} relaxed {relaxed}", more) if GPU else None
            if made:
                key = f"{name} {c}, {3 * blocks} blocks{', relaxed' * relaxed}"
                contest[key], moved[key] = made, 3 * 16 * quads * blocks
    table(bench(bytes=moved, **contest))


L2 = {
    "lts_sectors_op_read": "lts__t_sectors_op_read.sum",
    "lts_sectors_tex": "lts__t_sectors_srcunit_tex.sum",
    "lts_sectors": "lts__t_sectors.sum",
    "lts_requests_tex": "lts__t_requests_srcunit_tex.sum",
    "l2_to_l1_bytes": "l1tex__m_xbar2l1tex_read_bytes.sum",
    "dram_read": "dram__bytes_read.sum",
    "ns": "gpu__time_duration.sum",
}


@part
def k_counters():
    if not GPU:
        return
    lines = [f"clusters/{k} CLUSTER={c} grid=128 blocks=128 quads=65536" for k in ("11_copies", "12_multicast") for c in (1, 2, 4, 8)]
    lines += [f"clusters/{k} CLUSTER={c} rows=256 cols=131072" for k in ("09_twice",) for c in (1, 8)]
    lines += ["clusters/10_kept CLUSTER=8 rows=256 cols=131072"]
    lines += ["clusters/06_read CLUSTER=2 grid=128 blocks=128 size=4096 far=1 rounds=16",
              "clusters/06_read CLUSTER=1 MAPPED=0 grid=128 blocks=128 size=4096 far=0 rounds=16"]
    lines += [f"clusters/{k} CLUSTER=2 BINS=65536 grid=128 n=16777216 low=0 scale=65536" for k in ("07_spread", "08_alone")]
    tried("L2 counters", lambda: table(profile(lines, L2)))
    more = {name: metric for name, metric in (
        ("shared_ld", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
        ("shared_atom", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"),
        ("dsmem_ld", "smsp__inst_executed_op_ld.sum"),
        ("global_ld_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
        ("instructions", "smsp__inst_executed.sum"))}
    tried("other counters", lambda: table(profile(lines[-4:], more)))


def query():
    import shutil
    import subprocess
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if ncu:  # is there a counter of what goes between SMs?
        said = subprocess.run([ncu, "--query-metrics", "--chips", "gh100"], capture_output=True, text=True, timeout=15).stdout
        say("metrics between SMs:", [w.split()[0] for w in (said or "").splitlines()
                                     if any(s in w.lower() for s in ("dsm", "cluster", "sm2sm", "gpc__", "cga"))][:60])


@part
def l_cub():
    """Last, for it may have to compile: CUB with many bins."""
    if not GPU or time.time() - T0 > 45:
        return
    tried("query", query)
    cub = warpbook.peer("cub")
    x = RNG.random(1 << 28, dtype=np.float32)
    contest = {f"CUB {b}": (lambda b=b: cub.histogram(x, cp.zeros(b, np.int32), 0.0, 1.0)) for b in (1 << 14, 1 << 16, 1 << 18)}
    table(bench(bytes=4 * x.size, **contest))


say(device(), "GPU", GPU)
for fn in PARTS:
    began = time.time()
    try:
        fn()
    except Exception:
        say("FAILED", fn.__name__, traceback.format_exc()[-1500:])
    if GPU:
        cp.get_default_memory_pool().free_all_blocks()
    say(f"-- {fn.__name__} {time.time() - began:.1f} s (total {time.time() - T0:.1f})")

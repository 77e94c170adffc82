"""async_copies: barriers and splits, tiles by four ways of copying, messages, orders, domains.

Run from the checkout's root with PYTHONPATH set; OUT is a folder. About 50 s on an H200.
"""
import ctypes
import os
import time
import traceback

START = time.time()
import numpy as np
import cupy as cp
from warpbook import device, load, profile, sass
from warpbook.gpu.clock import timed

OUT = open(os.path.join(os.environ.get("OUT", "."), "async_copies.txt"), "w")


def say(*words):
    line = " ".join(str(w) for w in words)
    print(line, flush=True)
    OUT.write(line + "\n")
    OUT.flush()


def part(function):
    begun = time.time()
    say(f"\n== {function.__name__} (at {begun - START:.1f} s)")
    try:
        function()
    except Exception:
        say(traceback.format_exc())
    say(f"-- {time.time() - begun:.1f} s")


SMS = cp.cuda.Device().attributes["MultiProcessorCount"]
say(device())


PAIRS = ((0, 0), (400, 0), (400, 100), (400, 200), (400, 300), (400, 400), (400, 600))
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")


def warm():
    """Compile everything at once: libcu++ takes a second a kernel."""
    from concurrent.futures import ThreadPoolExecutor
    jobs = [(name, {}) for name in ("01_meet", "02_barrier", "03_split")]
    jobs += list(VARIANTS.values())
    jobs += [("11_orders", {"ORDER": f"cuda::memory_order_{o}", "SCOPE": f"cuda::thread_scope_{s}"})
             for o in ORDERS for s in ("block", "device", "system")]
    jobs += [("10_message", {"WRITER": w, "READER": r, "STRIDE": s, "PAST_L1": p,
                             "SCOPE": f"cuda::thread_scope_{c}"})
             for w in (0, 1) for r in (0, 1) for s in (1, 32) for p in (0, 1) for c in ("device", "block")]

    def one(job):
        try:
            load("async_copies/" + job[0], **job[1])
        except Exception as why:
            say("does not compile:", job, str(why)[:1500])
    with ThreadPoolExecutor(14) as pool:
        list(pool.map(one, jobs))


def expected(blocks, rounds, late, own_steps):
    """What 01 to 03 have to give, by NumPy."""
    def jump(count):  # value -> a * value + b after so many steps
        a, b = 1, 0
        for _ in range(count):
            a, b = a * 1664525 % 2**32, (b * 1664525 + 1013904223) % 2**32
        return np.uint32(a), np.uint32(b)
    (la, lb), (oa, ob) = jump(late), jump(own_steps)
    value = np.arange(blocks * 256, dtype=np.uint32).reshape(blocks, 256)
    own = np.uint32(0)
    with np.errstate(over="ignore"):
        for r in range(rounds):
            w = slice(32 * (r % 8), 32 * (r % 8) + 32)
            value[:, w] = value[:, w] * la + lb
            box, own = value.copy(), own * oa + ob
            value = value + np.roll(box, -32, axis=1)
        return (value ^ own).reshape(-1)


def e1_barriers():
    out, rounds = cp.zeros(SMS * 256, cp.uint32), 1000
    for late, own in PAIRS:
        kernels = {name: load(f"async_copies/{name}")
                   for name in ("01_meet", "02_barrier", "03_split")}
        for name, kernel in kernels.items():
            for r in (1, 13):
                out.fill(0xDEAD)
                kernel(SMS, 256, out, r, late, own)
                assert (out.get() == expected(SMS, r, late, own)).all(), (name, late, own, r)
        t = timed({n: (lambda k=k: k(SMS, 256, out, rounds, late, own)) for n, k in kernels.items()})
        say(f"late {late} own {own}: ns a round", {n: round(v["ms"] * 1e6 / rounds, 1) for n, v in t.items()})


N = 1 << 28
VARIANTS = {"loads": ("04_loads", {}), "ahead": ("05_ahead", {})}
for s in (2, 3, 4, 8):
    VARIANTS[f"cp_async {s}"] = ("06_cp_async", {"STAGES": s})
    VARIANTS[f"bulk {s}"] = ("07_bulk", {"STAGES": s})
for s in (2, 4):
    VARIANTS[f"memcpy {s}"] = ("08_memcpy", {"STAGES": s})
    VARIANTS[f"pipeline {s}"] = ("09_pipeline", {"STAGES": s})
KERNELS = {}


def e2_right():
    rng = cp.random.default_rng(1)
    for name, (file, defines) in VARIANTS.items():
        KERNELS[name] = load(f"async_copies/{file}", **defines)
    for n in (1, 31, 1016, 1017, 1023, 1024, 1025, 5003, 1_000_003, 1 << 22):
        a = rng.random(n + 8, dtype=cp.float32)
        want = cp.zeros(n, cp.float64)
        for k in range(9):
            want += a[k:k + n]
        for name in list(KERNELS):
            for per_sm in (1, 8):
                out = cp.full(n, cp.nan, cp.float32)
                KERNELS[name](per_sm * SMS, 256, a, out, n)
                bad = int((~(cp.abs(out - want) < 1e-4)).sum())
                if bad:
                    say("WRONG", name, n, per_sm, bad)
    say("checked", len(KERNELS), "variants; registers",
        {n: k.attributes["num_regs"] for n, k in KERNELS.items()})


def e3_rates():
    a = cp.random.default_rng(2).random(N + 8, dtype=cp.float32)
    out = cp.empty(N, cp.float32)
    copy = {"device copy": lambda: cp.copyto(out, a[:N])}
    for per_sm in (1, 2, 4, 8):
        races = {n: (lambda k=k: k(per_sm * SMS, 256, a, out, N)) for n, k in KERNELS.items()}
        t = timed(races | copy)
        base = t["device copy"]["ms"]
        say(f"{per_sm} blocks an SM; copy {8e-6 * N / base:.0f} GB/s;",
            {n: f"{v['ms']:.4f} ({base / v['ms']:.3f})" for n, v in t.items()})
    t = timed({"one block a tile, loads": lambda: KERNELS["loads"](-(-N // 1024), 256, a, out, N)} | copy)
    say({n: round(v["ms"], 4) for n, v in t.items()})


def e4_profile():
    files = ["04_loads", "05_ahead", "06_cp_async STAGES=4", "07_bulk STAGES=4",
             "08_memcpy STAGES=4", "09_pipeline STAGES=4"]
    lines = [f"async_copies/{f} grid={per * SMS} block=256 n={1 << 24}" for per in (1, 8) for f in files]
    asked = profile(lines, {
        "instructions": "smsp__inst_executed.sum",
        "issuing %": "smsp__issue_active.avg.pct_of_peak_sustained_active",
        "lsu wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
        "global ld sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1 lookups": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"})
    asked["instructions of a tile and warp"] = asked.instructions / ((1 << 24) / 1024 * 8)
    say(asked.round(2).to_string())


def message(pairs, rounds, text=None, **defines):
    kernel = load("async_copies/10_message", **defines)
    stride = defines.get("STRIDE", 1)
    letters = cp.zeros(pairs * rounds * stride, cp.int32)
    flags, seen = cp.zeros(pairs * 64, cp.int32), cp.full(pairs * rounds, -1, cp.int32)
    begun = time.time()
    kernel(2 * pairs, 1, letters, flags, seen, pairs, rounds)
    cp.cuda.Device().synchronize()
    want = cp.tile(cp.arange(1, rounds + 1, dtype=cp.int32), pairs)
    wrong = seen != want
    return int(wrong.sum()), int((seen[wrong] != 0).sum()), (time.time() - begun) * 1e9 / rounds


def e5_messages():
    pairs = min(64, SMS // 2)
    rounds = -(-1_000_000 // pairs)
    for stride in (1, 32):
        for past in (0, 1):
            for scope in ("device", "block"):
                for writer, reader in ((0, 0), (1, 0), (0, 1), (1, 1)):
                    if scope == "block" and not (writer or reader):
                        continue
                    wrong, odd, ns = message(pairs, rounds, WRITER=writer, READER=reader, STRIDE=stride,
                                             PAST_L1=past, SCOPE=f"cuda::thread_scope_{scope}")
                    say(f"stride {stride} past L1 {past} scope {scope} writer {writer} reader {reader}:",
                        f"wrong {wrong} of {pairs * rounds} (not 0: {odd}), {ns:.0f} ns a message")
    again = [message(pairs, rounds, WRITER=0, READER=0)[0] for _ in range(3)]
    say("no fences, three more times:", again)


def e5b_busy_writer():
    """Many stores under way when the flag is raised: is the writer's half ever seen to matter?"""
    text = (load("async_copies/10_message").source.text
            .replace("mine[STRIDE * r] = r + 1;",
                     "for (int j = 0; j < 24; ++j) flags[64 * pairs + ((r * 24 + j) * 7919 + pair * 104729) % (1 << 24)] = r;\n"
                     "mine[STRIDE * r] = r + 1;"))
    pairs, rounds = min(64, SMS // 2), 4000
    for writer, reader, past in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)):
        raw = cp.RawKernel(text, "async_copies_message", options=(
            "-std=c++17", f"-DWRITER={writer}", f"-DREADER={reader}", f"-DPAST_L1={past}", "-DSTRIDE=32"))
        letters = cp.zeros(pairs * rounds * 32, cp.int32)
        flags, seen = cp.zeros(pairs * 64 + (1 << 24), cp.int32), cp.full(pairs * rounds, -1, cp.int32)
        raw((2 * pairs,), (1,), (letters, flags, seen, np.int32(pairs), np.int32(rounds)))
        want = cp.tile(cp.arange(1, rounds + 1, dtype=cp.int32), pairs)
        say(f"busy writer: writer {writer} reader {reader} past L1 {past}: wrong",
            int((seen != want).sum()), "of", pairs * rounds)


def e6_orders():
    rounds = 1000
    for scope in ("block", "device", "system"):
        found = {}
        for order in ORDERS:
            kernel = load("async_copies/11_orders", ORDER=f"cuda::memory_order_{order}",
                          SCOPE=f"cuda::thread_scope_{scope}")
            for threads in (1, 32):
                total = SMS * threads
                for _ in range(3):
                    notes, counters = cp.zeros(total, cp.int32), cp.zeros(total, cp.int32)
                    clocks = cp.zeros(total, cp.int64)
                    kernel(SMS, threads, notes, counters, clocks, rounds)
                assert (counters == rounds).all()
                found[f"{order} x{threads}"] = round(float(cp.median(clocks)) / rounds, 1)
        say(f"scope {scope}: clocks a round", found)


def e6b_result_used():
    """A relaxed atomic that is waited for: what of the acquire's price is only the way there and back?"""
    for order in ("relaxed", "acquire", "release", "seq_cst"):
        kernel = load("async_copies/11_orders", ORDER=f"cuda::memory_order_{order}")
        text = kernel.source.text.replace("counter.fetch_add(1, ORDER);",
                                          "if (counter.fetch_add(1, ORDER) < 0) return;")
        raw = cp.RawKernel(text, kernel.name, options=("-std=c++17", *kernel.options))
        total, rounds = 32 * SMS, 1000
        notes, counters = cp.zeros(total, cp.int32), cp.zeros(total, cp.int32)
        clocks = cp.zeros(total, cp.int64)
        for _ in range(2):
            counters.fill(0)
            raw((SMS,), (32,), (notes, counters, clocks, np.int32(rounds)))
        say(order, "result used, device:", round(float(cp.median(clocks)) / rounds, 1), "clocks a round")


def e7_domains():
    from cuda.bindings import driver

    def launch(kernel, grid, block, stream, domain, values, types):
        raw = cp.RawKernel(kernel.source.text, kernel.name, options=("-std=c++17", *kernel.options))
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN
        attribute.value.memSyncDomain = driver.CUlaunchMemSyncDomain(domain)
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = grid, 1, 1
        config.blockDimX, config.blockDimY, config.blockDimZ = block, 1, 1
        config.hStream = driver.CUstream(stream.ptr)
        config.attrs, config.numAttrs = [attribute], 1
        error, = driver.cuLaunchKernelEx(config, driver.CUfunction(raw.kernel.ptr), (values, types), 0)
        assert error == driver.CUresult.CUDA_SUCCESS, error

    try:
        error, count = driver.cuDeviceGetAttribute(
            driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, driver.CUdevice(0))
        say("domains of the device:", count)
    except Exception as why:
        say("domain count:", why)
    pointer, number = ctypes.c_void_p, ctypes.c_int
    near, far = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    host = cp.cuda.alloc_pinned_memory(1 << 26)
    beyond = cp.zeros(1 << 26, cp.int32)
    writes = load("async_copies/12_far_writes")
    passes = {"host": 40, "device": 400}
    for place, address, n in (("host", host.ptr, 1 << 24), ("device", beyond.data.ptr, 1 << 26)):
        for order, scope in (("release", "device"), ("release", "system"), ("seq_cst", "device"),
                             ("relaxed", "device")):
            kernel = load("async_copies/11_orders", ORDER=f"cuda::memory_order_{order}",
                          SCOPE=f"cuda::thread_scope_{scope}")
            rounds, blocks = 500, 16
            found = {}
            for name, domains in (("alone", None), ("same 0", (0, 0)), ("far in 1", (0, 1)),
                                  ("near in 1", (1, 0)), ("same 1", (1, 1))):
                for _ in range(2):
                    notes, counters = cp.zeros(32 * blocks, cp.int32), cp.zeros(32 * blocks, cp.int32)
                    clocks = cp.zeros(32 * blocks, cp.int64)
                    cp.cuda.Device().synchronize()
                    if domains:
                        launch(writes, 32, 256, far, domains[1], (address, n, passes[place]),
                               (pointer, number, number))
                        time.sleep(0.002)
                    launch(kernel, blocks, 32, near, domains[0] if domains else 0,
                           (notes.data.ptr, counters.data.ptr, clocks.data.ptr, rounds),
                           (pointer, pointer, pointer, number))
                    near.synchronize()
                    running = not far.done
                    cp.cuda.Device().synchronize()
                found[name] = (round(float(cp.median(clocks)) / rounds, 1), "overlapped" if running else "")
            say(f"far writes to {place}; near {order}.{scope}: clocks a round", found)


def e8_far_rate():
    writes = load("async_copies/12_far_writes")
    host = cp.cuda.alloc_pinned_memory(1 << 26)
    view = cp.ndarray(1 << 24, cp.int32, cp.cuda.MemoryPointer(
        cp.cuda.UnownedMemory(host.ptr, 1 << 26, host), 0))
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    for blocks in (8, 32, SMS):
        begin.record()
        writes(blocks, 256, view, 1 << 24, 4)
        end.record()
        end.synchronize()
        ms = cp.cuda.get_elapsed_time(begin, end)
        say(f"{blocks} blocks write {4 * 64} MiB to the host in {ms:.1f} ms: {4 * 67.1 / ms:.1f} GB/s")


for function in (warm, e2_right, e1_barriers, e3_rates, e5_messages, e5b_busy_writer, e6_orders, e6b_result_used, e8_far_rate,
                 e7_domains, e4_profile):
    part(function)
say(f"all: {time.time() - START:.1f} s")

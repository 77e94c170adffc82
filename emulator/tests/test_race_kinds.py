"""A race is labelled lane by lane, within a warp or between warps, and is of the bytes that threads
touch, whatever type the host gave the array.
"""

import numpy as np
import pytest
from emulator_helpers import program

from warpemu import Finding, mark_uninitialised

THREADS = 64


@pytest.mark.parametrize("shift", [1, 5, 31, 32, 40])
def test_each_lane_of_a_request_is_labelled_by_the_thread_that_it_races_with(shift):
    """Thread t reads what thread t + shift wrote; both sit in one warp for 32 - shift of them."""
    text = f"""
        extern "C" __global__ void k(int* out) {{
            __shared__ int tile[{THREADS}];
            tile[threadIdx.x] = threadIdx.x + 1;
            out[threadIdx.x] = tile[(threadIdx.x + {shift}) % {THREADS}];
        }}"""
    with pytest.raises(Finding) as found:
        program(text).launch((1,), (THREADS,), [np.zeros(THREADS, np.int32)], not_on_gpu="a race")
    threads = np.arange(THREADS)
    within = int((threads // 32 == (threads + shift) % THREADS // 32).sum())
    counts = found.value.counts
    assert counts.get("missing __syncwarp", 0) == within
    assert counts.get("shared race", 0) == THREADS - within


# Narrow accesses ---------------------------------------------------------------------------------
PAIR = np.dtype([("small", "i1"), ("large", "i4")])
BASES = ["f4", "f8", "c8", "c16", "i1", "f2", PAIR]
NARROW = {"signed char": "i1", "bool": "?", "short": "i2", "float": "f4"}


def launch(body, array, type_name, grid=2, block=THREADS):
    """Run the body with its array o, thread t of the block, thread i of the grid."""
    text = f"""
        extern "C" __global__ void k({type_name}* o, int n) {{
            int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
            {body}
        }}"""
    program(text).launch((grid,), (block,), [array, np.int32(THREADS)], not_on_gpu="a race")


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("type_name", NARROW)
@pytest.mark.parametrize("base", BASES, ids=str)
def test_each_thread_stores_its_own_part_of_an_element(base, type_name, start):
    owner = np.zeros(800, base)
    view = owner.view(np.uint8)[:800].view(NARROW[type_name])[start:]
    launch(f"o[i] = ({type_name})(i + 1);", view, type_name)
    count = 2 * THREADS
    want = (np.arange(count) + 1).astype("i1" if type_name == "signed char" else view.dtype)
    assert (view[:count] == want.astype(view.dtype)).all() and not view[count:].any()


@pytest.mark.parametrize("base", BASES, ids=str)
@pytest.mark.parametrize("type_name", ["signed char", "short"])
def test_two_threads_that_store_one_part_of_an_element_race(base, type_name):
    view = np.zeros(800, base).view(np.uint8)[:800].view(NARROW[type_name])
    with pytest.raises(Finding, match=r"writes o\[\d+\], which thread") as found:
        launch("o[t == 40 ? 41 : t] = t;", view, type_name, grid=1)
    assert found.value.counts == {"global race": 1} and found.value.index == 41


SCRIPT = """
    extern "C" __global__ void k(unsigned char* g, const int* script, unsigned long long* out,
                                 int steps) {{
        __shared__ unsigned char s[32];
        int t = threadIdx.x, lane = blockIdx.x * blockDim.x + t;
        if (t < 32) s[t] = 0;
        __syncthreads();
        unsigned char* p = {place};
        unsigned long long sum = 0;
        for (int j = 0; j < steps; j++) {{
            int todo = script[j * {lanes} + lane], kind = todo & 15, at = todo >> 4;
            unsigned long long v = 0x0101010101010101 * (1 + j * {lanes} + lane);
            if (kind == 1) sum += p[at];
            if (kind == 2) sum += *(unsigned short*)(p + at);
            if (kind == 3) sum += *(unsigned*)(p + at);
            if (kind == 4) sum += *(unsigned long long*)(p + at);
            if (kind == 5) p[at] = v;
            if (kind == 6) *(unsigned short*)(p + at) = v;
            if (kind == 7) *(unsigned*)(p + at) = v;
            if (kind == 8) *(unsigned long long*)(p + at) = v;
        }}
        out[lane] = sum; }}"""


@pytest.mark.parametrize("place, blocks", [("g", 2), ("s", 1)])
def test_random_accesses_of_many_widths(rng, place, blocks):
    """A race is found if and only if threads meet at a byte and one of them writes it."""
    threads, steps = 40, 3
    lanes = threads * blocks
    k = program(SCRIPT.format(place=place, lanes=lanes))
    seen = {False: 0, True: 0}
    for _ in range(150):
        script = np.zeros((steps, lanes), "i4")
        touched = [{} for _ in range(32)]  # by byte: {lane: does it write?}
        for turn in rng.choice(steps * lanes, rng.integers(2, 9), replace=False):
            kind = int(rng.integers(1, 9))
            size = 1 << (kind - 1) % 4
            at = int(rng.integers(32 // size)) * size
            script.reshape(-1)[turn] = kind | at << 4
            lane = int(turn) % lanes
            for byte in touched[at : at + size]:
                byte[lane] = byte.get(lane, False) or kind > 4
        race = any(len(byte) > 1 and any(byte.values()) for byte in touched)
        seen[race] += 1
        data = np.zeros(32, "u1").view(rng.choice(["f8", "f4", "u1", "f2", "c16"]))
        args = [data.view("u1"), script, np.zeros(lanes, "u8"), np.int32(steps)]
        try:
            k.launch((blocks,), (threads,), args, not_on_gpu="a race")
            assert not race, script
        except Finding as finding:
            assert race, (script, finding)
            assert set(finding.counts) <= {"global race", "shared race", "missing __syncwarp"}
    assert min(seen.values()) > 30


def test_blocks_may_write_bytes_of_one_word_but_not_one_byte():
    for stride, races in ((1, False), (0, True)):
        view = np.zeros(8, "f8").view("i1")
        try:
            launch(f"if (t == 0) o[blockIdx.x * {stride}] = 5 + blockIdx.x;", view, "char", grid=4)
            assert not races
        except Finding as finding:
            assert races and "which block" in str(finding)


@pytest.mark.parametrize(
    "place", ["__shared__ unsigned char s[256];", "extern __shared__ int d[];"]
)
def test_bytes_of_one_word_of_shared_memory(place):
    place += " unsigned char* p = (unsigned char*)" + ("s;" if "char s" in place else "d;")
    text = """
        extern "C" __global__ void k(int* o) {{ {place} int t = threadIdx.x;
            {store} __syncthreads(); o[t] = p[{read}]; }}"""
    for store, read, kind in (
        ("p[t] = t;", "63 - t", None),
        ("((short*)p)[t] = t;", "127 - t", None),
        ("p[t == 7 ? 6 : t] = t;", "t == 7", "missing __syncwarp"),
        ("p[t] = t; if (t == 40) *(int*)p = 5;", "t", "shared race"),
        ("p[t * 2] = t;", "t", "uninitialised shared read"),
    ):
        k = program(text.format(place=place, store=store, read=read))
        args = (1,), (THREADS,), [np.zeros(THREADS, "i4")]
        if kind is None:
            k.launch(*args, shared_bytes=256)
            continue
        with pytest.raises(Finding) as found:
            k.launch(*args, shared_bytes=256, not_on_gpu="a race")
        assert kind in found.value.counts


def test_bytes_of_local_memory():
    text = """
        extern "C" __global__ void k(short* o, int n) {
            volatile char4 v[4]; int t = threadIdx.x;
            for (int i = 0; i < 8; i++) ((volatile short*)v)[(i * n) & 7] = -t * i;
            asm volatile("{.reg .b16 a, b; .reg .b64 p; cvta.to.local.u64 p, %1;"
                         "ld.local.v2.s8 {a, b}, [p];"
                         "st.global.s16 [%0], a; st.global.s16 [%0+2], b;}"
                         :: "l"(o + 2 * t), "l"((char*)v + (t & 7) * 2)); }"""
    o, t = np.zeros((THREADS, 2), "i2"), np.arange(THREADS)
    program(text).launch((1,), (THREADS,), [o, np.int32(3)])
    assert (o == (-t * ((t & 7) * 3 & 7)).astype("i2").view("i1").reshape(-1, 2)).all()


def test_bytes_of_a_word_that_nobody_wrote():
    text = """
        extern "C" __global__ void k(unsigned char* a, unsigned char* b, int n) {
            int t = threadIdx.x;
            if (t % 4 < n) a[t] = t;
            b[t] = a[t - t % 4 % 3] + 1; }"""  # of bytes 0, 0, 0, 3 of a word
    for written, unwritten in ((4, 0), (1, 16)):
        a = np.empty(16, "f4")
        mark_uninitialised(a)
        args = [a.view("u1"), np.zeros(THREADS, "u1"), np.int32(written)]
        with pytest.raises(Finding) as found:
            program(text).launch((1,), (THREADS,), args, not_on_gpu="a race")
        assert found.value.counts.get("uninitialised global read", 0) == unwritten


# Wide accesses, and accesses of several arrays ----------------------------------------------------
@pytest.mark.parametrize("space", ["", "__shared__ int4 s; "])
def test_words_of_16_bytes_are_compared_bit_by_bit(space):
    """-1 four times is a NaN; 1 << 31 at the end, a zero."""
    place = "s" if space else "((int4*)o)[0]"
    body = space + place + " = make_int4({}); __syncthreads(); o[64 + t] = " + place + ".w;"
    launch(body.format("-1, -1, -1, -1"), np.zeros(256, "i4"), "int", grid=1)
    with pytest.raises(Finding, match="race|__syncwarp"):
        launch(body.format("0, 0, 0, t << 31"), np.zeros(256, "i4"), "int", grid=1)


@pytest.mark.parametrize(
    "body, lanes",
    [
        ("p[t] = t; if (t > 9) x = p[t];", 0),
        ("p[0] = t;", 62),
        ("if (t % 3) p[t] = t; x = p[t];", 0),
        ("a[t] = t; b[t] = 1; if (t % 3) x = p[t / 2];", 31),
    ],
)
def test_lanes_that_point_to_different_arrays_are_watched(body, lanes):
    text = """
        extern "C" __global__ void k(int* a, int* b, int* c) {
            int t = threadIdx.x, x = 0, *p = t & 1 ? a : b;
            %s
            c[t] = x; }"""
    arrays = [np.zeros(THREADS, "i4") for _ in range(3)]
    try:
        program(text % body).launch((1,), (THREADS,), arrays, not_on_gpu="a race")
        assert not lanes
    except Finding as finding:
        assert lanes and set(finding.counts) == {"global race"}, finding
        assert finding.array in ("a", "b")

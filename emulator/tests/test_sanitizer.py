"""Planted faults: each is found, is of the right kind, and is blamed on the line marked HERE.

A fault is (kind, kernel). Kernels take (float* a, int n) with 64 elements in ``a`` and run on ``GRID``
blocks of 64 threads (2 unless the text says otherwise), n = 64.
"""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import re
import time

import numpy as np
import pytest
from emulator_helpers import line_of, program

import warpemu

HEAD = 'extern "C" __global__ void k(float* a, int n) {\n int t = threadIdx.x, b = blockIdx.x;\n'
SHARED = " __shared__ float s[64];\n"
RACE, WARP, UNSET = "shared race", "missing __syncwarp", "uninitialised shared read"

FAULTS = {
    # Global memory: bounds and alignment
    "no guard": ("global out of bounds", " a[b * 64 + t] = 1; // HERE"),
    "guard off by one": ("global out of bounds", " if (b == 0 && t <= 63) a[t + 1] = 1; // HERE"),
    "negative index": (
        "global out of bounds",
        " float x = a[t - 1]; // HERE\n if (x == 5) a[0] = x;",
    ),
    "column and row swapped": (
        "global out of bounds",
        " if (b == 0) a[(t % 32) * 32 + t / 32] = 0; // HERE",
    ),
    "32-bit overflow": (
        "global out of bounds",
        " int i = 1 << 30; if (a[i * 2 + t + n * 64] > 0) a[0] = 1; // HERE",
    ),
    "null pointer": (
        "global out of bounds",
        " float* p = (float*)(long long)(n - 64); p[t] = 1; // HERE",
    ),
    "float4 past the end": (
        "global out of bounds",
        " float4 v = ((float4*)a)[t]; // HERE\n a[t] = v.x;",
    ),
    "float4 at an odd float": (
        "global misaligned",
        " float4 v = *(float4*)(a + 1); // HERE\n if (v.x + v.y + v.z + v.w == 7) a[0] = 1;",
    ),
    "double at an odd float": ("global misaligned", " *(double*)(a + 1 + 2 * b) = 1; // HERE"),
    "atomic out of bounds": ("global out of bounds", " atomicAdd(a + 64 + t, 1.0f); // HERE"),
    "copy of the wrong length": (
        "global out of bounds",
        " for (int i = t; i < n + 1; i += 64) if (b == 0) a[i] = 0; // HERE",
    ),
    "one thread of many": ("global out of bounds", " if (b == 1 && t == 37) a[n * 3] = 1; // HERE"),
    "int as byte offset": (
        "global out of bounds",
        " if (b == 0) a[t * sizeof(float)] = 1; // HERE",
    ),
    # Shared memory: bounds, alignment, never written
    "shared past the end": (
        "shared out of bounds",
        SHARED + " s[t + 1] = t; // HERE\n __syncthreads(); if (b == 0) a[t] = s[t];",
    ),
    "shared negative": (
        "shared out of bounds",
        SHARED
        + " s[t] = 0; __syncthreads();\n float x = s[t - 1]; // HERE\n if (b == 0) a[t] = x;",
    ),
    "no dynamic memory asked for": (
        "shared out of bounds",
        " extern __shared__ float d[];\n d[t] = 1; // HERE\n __syncthreads(); if (b == 0) a[t] = d[63 - t];",
    ),
    "shared misaligned": (
        "shared misaligned",
        SHARED
        + " s[t] = 1; __syncthreads();\n float2 v = *(float2*)(s + 1 + (t & 2)); // HERE\n if (b == 0) a[t] = v.x + v.y;",
    ),
    "shared never written": (
        UNSET,
        SHARED + " if (n < 0) s[t] = 1; __syncthreads();\n if (b == 0) a[t] = s[t]; // HERE",
    ),
    "half the tile written": (
        UNSET,
        SHARED + " if (t < 32) s[t] = t;\n __syncthreads();\n if (b == 0) a[t] = s[t]; // HERE",
    ),
    "accumulator not cleared": (
        UNSET,
        SHARED + " s[t] += 1; // HERE\n __syncthreads(); if (b == 0) a[t] = s[t];",
    ),
    "halo never loaded": (
        UNSET,
        " __shared__ float h[66]; h[t + 1] = t; __syncthreads();\n float x = h[t]; // HERE\n if (b == 0) a[t] = x;",
    ),
    "atomic on memory not cleared": (
        UNSET,
        " __shared__ int c; if (n < 0) c = 0; __syncthreads();\n atomicAdd(&c, 1); // HERE\n __syncthreads(); if (c == 3) a[b] = 1;",
    ),
    # Races in shared memory
    "no barrier after the load": (
        RACE,
        SHARED + " s[t] = t;\n if (b == 0) a[t] = s[63 - t]; // HERE",
    ),
    "no barrier before the next write": (
        RACE,
        SHARED
        + " s[t] = t; __syncthreads(); float x = s[63 - t];\n s[t] = x; // HERE\n __syncthreads(); if (b == 0) a[t] = s[t];",
    ),
    "reduction without barriers": (
        WARP,
        SHARED
        + " s[t] = t; __syncthreads();\n for (int h = 32; h > 0; h /= 2)\n if (t < h) s[t] += s[t + h]; // HERE\n __syncthreads(); if (t == 0) a[b] = s[0];",
    ),
    "scan in place": (
        WARP,
        SHARED
        + " s[t] = t; __syncthreads();\n if (t > 0) s[t] += s[t - 1]; // HERE\n __syncthreads(); if (b == 0) a[t] = s[t];",
    ),
    "histogram without atomics": (
        RACE,
        " __shared__ int c[4]; if (t < 4) c[t] = 0; __syncthreads();\n c[t & 3] += t; // HERE\n __syncthreads(); if (t < 4 && b == 0) a[t] = c[t];",
    ),
    "all write one cell": (
        WARP,
        " __shared__ int c;\n c = t; // HERE\n __syncthreads(); if (t == 0 && b == 0) a[0] = c;",
    ),
    "double buffer, one barrier short": (
        RACE,
        SHARED
        + " for (int i = 0; i < 3; i++) {\n s[t] = i; // HERE\n __syncthreads(); if (b == 0) a[t] = s[63 - t]; }",
    ),
    "warp reduction without syncwarp": (
        WARP,
        " __shared__ volatile float s[64]; s[t] = t; __syncthreads();\n if (t < 16) { s[t] += s[t + 16]; \n s[t] += s[t + 8]; // HERE\n } __syncthreads(); if (t == 0) a[b] = s[0];",
    ),
    "transpose within a warp": (WARP, SHARED + " s[t] = t;\n if (b == 0) a[t] = s[t ^ 1]; // HERE"),
    "syncwarp where a barrier is needed": (
        RACE,
        SHARED + " s[t] = t; __syncwarp();\n if (b == 0) a[t] = s[63 - t]; // HERE",
    ),
    "plain read beside atomics": (
        RACE,
        " __shared__ int c; if (t == 0) c = 0; __syncthreads(); atomicAdd(&c, 1);\n if (t == 5) a[b] = c; // HERE",
    ),
    # Barriers, warps, waits
    "barrier in a branch": (
        "barrier divergence",
        " if (t < 40) {\n __syncthreads(); a[b] = 1; }\n else { __syncthreads(); a[b] = 1; } // HERE",
    ),
    "early way past a barrier": (
        "barrier divergence",
        SHARED
        + " s[t] = t;\n for (int i = 0; i < t; i += 32) {\n __syncthreads();\n s[t] += 1; }\n if (n) __syncthreads(); // HERE\n a[t] = s[t];",
    ),
    "shuffle in a branch": (
        "missing lanes in a warp operation",
        " float x = 0; if (t % 32 < 16)\n x = __shfl_xor_sync(~0u, (float)t, 1); // HERE\n a[t] = x;",
    ),
    "ballot with a wrong mask": (
        "missing lanes in a warp operation",
        " float x = 0; if (t & 1)\n x = __ballot_sync(0xffff, t); // HERE\n a[t] = x;",
    ),
    "not in its own mask": (
        "lane not in its own member mask",
        "\n a[t] = __shfl_down_sync(0xffff, (float)t, 1); // HERE",
    ),
    "not in its own mask of __syncwarp": (
        "lane not in its own member mask",
        SHARED + " s[t] = t;\n __syncwarp(0xffff); // HERE\n if (b == 0) a[t] = s[t ^ 31];",
    ),
    "shuffle from an exited lane": (
        "shuffle from an absent lane",
        " if (t % 32 > 20) return;\n a[t] = __shfl_down_sync(~0u, (float)t, 1); // HERE",
    ),
    "waits for ever": (
        "endless wait",
        " volatile float* p = a;\n while (p[0] < 1) { } // HERE\n a[1] = 1;",
    ),
    "spins on a lock it holds": (
        "endless wait",
        " int* lock = (int*)a;\n while (atomicCAS(lock, 0, 1) != 0) { } // HERE\n a[1] = 1;",
    ),
    "assertion": (
        "assertion failed",
        ' if (!(t < 50)) __assertfail("t < 50", "k.cu", 1, "k", 1); // HERE',
    ),
    # Between blocks
    "blocks add to one cell": ("global race", " if (t == 0)\n a[0] += b + 1; // HERE"),
    "blocks write one cell": ("global race", " if (t == 0)\n a[0] = b + 5; // HERE"),
    "reads its neighbour's result": (
        "global race",
        " if (t < 32) a[b * 32 + t] = t + 1; __syncthreads();\n if (t == 0) a[b * 32] = a[(b * 32 + 33) % 64]; // HERE",
    ),
    "shift in place": (
        "global race",
        " int i = b * 32 + t % 32; float x = a[(i + 1) % 64];\n a[i] = x + 1; // HERE",
    ),
    "last block without a fence": (
        "global race",
        " __shared__ bool last; if (t == 0) { a[b] = b + 1; int* c = (int*)a + 60;\n last = atomicAdd(c, 1) == gridDim.x - 1;\n if (last) a[50] = a[0] + a[1]; } // HERE",
    ),
    "plain read of an atomic counter": (
        "global race",
        " int* c = (int*)a; if (t == 0) atomicAdd(c, 1);\n if (t == 0) a[b + 1] = c[0]; // HERE",
    ),
    # Local memory
    "local array": (
        "local out of bounds",
        " float v[4] = {1, 2, 3, 4}; v[n & 3] = t;\n float x = v[t + n / 16]; // HERE\n if (b == 0) a[t] = x;",
    ),
    "local array, far": (
        "local out of bounds",
        " float v[8]; for (int i = 0; i < 8; i++) v[i] = i;\n v[n + t] = 1; // HERE\n a[0] = v[t & 7];",
    ),
    "conditional barrier while the others exit": (
        "barrier divergence",
        " if (t < 32)\n __syncthreads(); // HERE\n a[b * 32 + t % 32] = 1;",
    ),
    "endless loop that stores": (
        "endless wait",
        " volatile float* p = a; int j = 0;\n while (j < n) p[t] = j; // HERE",
    ),
    "endless loop that stores, the others waiting": (
        "endless wait",
        " volatile float* p = a; int j = 0;\n if (t < 5) while (j < n) p[t] = j; // HERE\n __syncthreads(); a[9] = 1;",
    ),
    "two endless loops that store": (
        "endless wait",
        " volatile float* p = a; int j = 0;\n while (j < n) if (t < 5) p[t] = j; else { p[t] = 2; p[t] = 3; } // HERE",
    ),
    "flag set without a fence": (
        "global race",
        " volatile float* flag = a + 60; if (t > 0) return;\n if (b == 0) { a[0] = 5; *flag = 1; }"
        " else { while (*flag == 0) { }\n a[1] = a[0]; } // HERE",
    ),
    "threads add to one cell": ("global race", " if (b == 0)\n a[0] += 1; // HERE"),
    "threads write one cell": ("global race", " if (b == 0)\n a[0] = t; // HERE"),
    "no barrier around global data": (
        "global race",
        " if (b == 0) {\n a[t] = t + 1;\n float x = a[63 - t]; // HERE\n if (x == 7) a[t] = x; }",
    ),
    "global data, no barrier before the next write": (
        "global race",
        " if (b == 0) { a[t] = t + 1; __syncthreads(); float x = a[63 - t];\n a[t] = x; } // HERE",
    ),
    "a syncwarp for two warps' global data": (
        "global race",
        " if (b == 0) {\n a[t] = t + 1; __syncwarp();\n float x = a[63 - t]; // HERE\n if (x == 7) a[t] = x; }",
    ),
}

# Beside those that the book compares with compute-sanitizer.
MORE_FAULTS = {
    "a loop with no way out, which counts in memory": (
        "endless wait",
        " volatile int i = n;\n while (true) i++; // HERE",
    ),
    "a loop with no way out, with barriers": (
        "endless wait",
        SHARED + " s[t] = 0; for (;;) {\n s[t] += n++; // HERE\n __syncthreads(); }",
    ),
    "a loop with no way out for some": (
        "endless wait",
        " unsigned i = a[t]; if (t > 40)\n for (;;) { i += 3; if (i == n) a[1] = i; } // HERE\n __syncthreads(); a[9] = 1;",
    ),
}


def source(body):
    text = HEAD + body + "\n}"
    if "__assertfail" in body:
        text = (
            'extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);\n'
            + text
        )
    return text


def run(text):
    a = np.zeros(64, "f4")
    program(text).launch((2,), (64,), [a, np.int32(64)])


def test_there_are_many_faults():
    assert len(FAULTS) >= 40


@pytest.mark.parametrize("name", FAULTS | MORE_FAULTS)
def test_fault(name):
    kind, body = (FAULTS | MORE_FAULTS)[name]
    text = source(body)
    with pytest.raises(warpemu.Finding) as caught:
        run(text)
    finding = caught.value
    assert kind in finding.counts, str(finding)
    assert finding.kind == kind, str(finding)
    assert finding.line == line_of(text, "HERE"), str(finding)
    assert finding.block is not None and finding.thread is not None
    assert re.search(r"line \d+ of test.cu, block \(\d, 0, 0\), thread \(\d+, 0, 0\)", str(finding))


def test_the_sentence_names_array_and_index():
    with pytest.raises(
        warpemu.Finding, match=r"writes 4 bytes at a\[64\], but a has 64 elements of float32"
    ) as caught:
        run(source(FAULTS["guard off by one"][1]))
    assert (caught.value.array, caught.value.index, caught.value.thread) == ("a", 64, (63, 0, 0))
    with pytest.raises(
        warpemu.Finding,
        match=r"reads s\[63\] in shared memory, which thread \(63, 0, 0\) wrote at line 4",
    ):
        run(source(FAULTS["no barrier after the load"][1]))


@pytest.mark.parametrize(
    "index, said",
    [
        ("b[t - 1]", "reads 4 bytes at b\\[-1\\], but b has 64 elements of float32"),
        ("a[t - 3]", "reads 4 bytes at a\\[-3\\], but a has 64"),
        (
            "c[t - (1 << 30)]",
            "reads 8 bytes at c\\[-1073741824\\], but c has 4 elements of float64",
        ),
    ],
)
def test_an_index_before_the_first_element_is_negative(index, said):
    text = f"""
    extern "C" __global__ void k(const float* a, const float* b, const double* c, double* o) {{
        int t = threadIdx.x; o[t] = {index}; }}"""
    arrays = [np.zeros(64, "f4"), np.zeros(64, "f4"), np.zeros(4), np.zeros(64)]
    with pytest.raises(warpemu.Finding, match=said) as caught:
        program(text).launch((1,), (64,), arrays)
    assert caught.value.thread == (0, 0, 0)


def test_a_missing_fence_is_named():
    with pytest.raises(warpemu.Finding, match=r"put a __threadfence\(\) between line 4 and the"):
        run(source(FAULTS["flag set without a fence"][1]))


def test_threads_of_one_block_are_named():
    text = source(FAULTS["no barrier around global data"][1])
    said = r"reads a\[63\], which thread \(63, 0, 0\) of its block wrote at line 4, with no __sync"
    with pytest.raises(warpemu.Finding, match=said) as caught:
        run(text)
    assert (caught.value.array, caught.value.index) == ("a", 63)


def test_barriers_in_two_branches_that_all_threads_reach():
    """CUDA forbids it and the sanitizer says so; the hardware goes on, and so does the emulator."""
    text = """
    extern "C" __global__ void k(int* o) {
        __shared__ int s[128]; int t = threadIdx.x, n;
        s[t] = t;
        if (t < 64) n = __syncthreads_count(t & 1); else { o[t] = 1; n = __syncthreads_count(t & 3); }
        o[t] = s[127 - t] + 1000 * n;
    }"""
    o = np.zeros(128, "i4")
    program(text).launch((1,), (128,), [o], sanitize=False)
    assert (o == 127 - np.arange(128) + 1000 * (32 + 48)).all()
    with pytest.raises(warpemu.Finding, match="barrier divergence"):
        program(text).launch((1,), (128,), [o])


ENDLESS = {
    "counts while it waits": (
        " volatile float* p = a; int c = 0;\n while (p[0] < 1) c++; // HERE\n a[t + 1 & 63] = c;"
    ),
    "counts while it waits, at barriers": (
        " volatile float* p = a; int c = 0;\n while (p[0] < 1) { c++; // HERE\n"
        " __syncthreads(); }\n a[t + 1 & 63] = c;"
    ),
    "a stride of zero": (
        " unsigned c = t;\n for (int i = t; i < n; i += n - 64) c = c * 3 + 1; // HERE\n a[t] = c;"
    ),
    "a stride of zero, with shuffles": (
        " unsigned c = t;\n for (int i = t % 32; i < n; i += n - 64)\n"
        " c += __shfl_xor_sync(~0u, i, 1) + 1; // HERE\n a[t] = c;"
    ),
    "stores what it counts": (
        " volatile float* p = a; float c = 0;\n for (int i = t; i < n; i += n - 64)\n"
        " p[t] = c++; // HERE"
    ),
    "counts in memory": (
        " volatile int c[4]; c[n & 3] = 0;\n for (int i = t; i < n; i += n - 64) // HERE\n"
        " c[n & 3] += 1;\n a[t] = c[n & 3];"
    ),
    "two loops": (
        " unsigned c = t;\n if (t % 2) for (int i = t; i < n; i += n - 64) c = c * 3 + 1;\n"
        " else for (int i = t; i < n; i += (n - 64) * 2) { c = c * 5 + 1; if (c == 77) c = i; } // HERE\n"
        " a[t] = c;"
    ),
    "comes back after 4096 steps": (
        " unsigned x = t, c = 0;\n while (x != n + 9999) { x = (x * 5 + 1) & 4095; c++; } // HERE\n"
        " a[t] = c;"
    ),
    "a search in a ring": (
        " __shared__ int next[64]; next[t] = (t + 1) % 64; __syncthreads(); int i = t, c = 0;\n"
        " while (i != n) { i = next[i]; c++; } // HERE\n a[t] = c;"
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_endless_loops_that_count(name):
    """Nothing but a counter changes in them: found in a second, long before any limit."""
    text = source(ENDLESS[name])
    begin = time.monotonic()
    with pytest.raises(warpemu.Finding, match="will never get on") as caught:
        run(text)
    assert (caught.value.kind, caught.value.line) == ("endless wait", line_of(text, "HERE"))
    assert time.monotonic() - begin < 20  # seconds, on a machine busy with much else


LONG = {
    "ends by what it stores": (
        " volatile float* p = a; int c = 0; do { c++; p[t] = c > n * 500; } while (p[t] == 0);"
        " a[t] = c;",
        32001,
    ),
    "ends by what a shared counter says": (
        " __shared__ volatile int s[64]; s[t] = 0; int c = 0;"
        " while (s[t] < n * 20) { if (c++ % 64 == 63) s[t] = s[t] + 1; } a[t] = c;",
        1280 * 64,
    ),
    "waits for the clock": (
        " long long start = clock64(); int c = 0; while (clock64() - start < 20000) c++;"
        " a[t] = c > 100;",
        1,
    ),
    "another warp ends it": (
        " __shared__ volatile int s; if (t == 0) s = 0; __syncthreads(); int c = 0;"
        " if (t < 32) { while (s == 0) c++; a[t] = 1; a[t + 32] = 1; }"
        " else if (t == 63) { for (int i = 0; i < n * 60; i++) c = c * 3 + i; s = c | 1; }",
        1,
    ),
    "a long way round": (
        " unsigned x = 0, c = 0; while (x != n + 4000) { x = (x * 5 + 1) & 4095; c++; }"
        " for (int i = 0; i < n * 300; i++) { x = x * 3 + 1; x &= 3; } a[t] = c + 0 * x;",
        None,
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_long_loops_that_end(name):
    body, want = LONG[name]
    a = np.zeros(64, "f4")
    program(source(" if (b) return; " + body)).launch(
        (2,), (64,), [a, np.int32(64)], sanitize=False, not_on_gpu="a clock"
    )
    assert want is None or (a == want).all()


def test_a_launch_may_be_given_so_many_seconds():
    text = """
    extern "C" __global__ void k(volatile int* o, unsigned n) {
        for (unsigned j = 0; j != n; j += 2) o[threadIdx.x] = j;    // HERE
    }"""
    with pytest.raises(warpemu.Finding, match="still runs after 0.5 s.*more seconds") as caught:
        program(text).launch((1,), (32,), [np.zeros(32, "i4"), np.uint32(7)], seconds=0.5)
    assert (caught.value.kind, caught.value.line) == ("endless wait", line_of(text, "HERE"))
    program(text).launch((1,), (32,), [np.zeros(32, "i4"), np.uint32(8)], seconds=60)


CLEAN = {
    "same flag by all": SHARED
    + " __shared__ int f; f = 0; __syncthreads(); f = 1; __syncthreads(); if (t == 0) a[b] = f;",
    "read by all, then written": SHARED
    + " s[t] = t; __syncthreads(); float x = s[0]; __syncthreads(); s[t] = x; a[t] = 0;",
    "syncwarp": SHARED
    + " s[t] = t; __syncwarp(); float x = s[t ^ 5]; __syncwarp(); s[t] = x; __syncthreads(); if (b == 0) a[t] = s[63 - t];",
    "barrier in a uniform branch": " if (b == 0) { __syncthreads(); a[t] = 1; }",
    "exited lanes": " if (t >= 40) return; __syncthreads(); __syncwarp(); if (b == 0) a[t] = 1;",
    "threadfence reduction": " __shared__ bool last; if (t == 0) { a[b] = b + 1; __threadfence(); int* c = (int*)a + 60;"
    " last = atomicAdd(c, 1) == gridDim.x - 1; } __syncthreads();"
    " if (last && t == 0) { __threadfence(); a[50] = a[0] + a[1]; }",
    "atomics only": " atomicAdd(a, 1.0f); __shared__ int c; if (t == 0) c = 0; __syncthreads(); atomicAdd(&c, 1); __syncthreads(); if (t == 0) a[b + 1] = c;",
    "bytes of one word": " __shared__ unsigned char s[64]; s[t] = t; __syncthreads(); if (b == 0) a[t] = s[63 - t];",
    "dynamic trip counts": SHARED
    + " float x = 0; for (int i = 0; i <= b; i++) { s[t] = i; __syncthreads(); x += s[63 - t]; __syncthreads(); } a[b * 32 + t % 32] = x;",
    "global data between barriers": " if (b == 0) { a[t] = t; __syncthreads(); float x = a[63 - t]; __syncthreads(); a[t] = x; }",
    "global data within a warp": " if (b == 0) { a[t] = t; __syncwarp(); float x = a[t ^ 9]; __syncwarp(); a[t] = x; }",
    "same flag by all, in global memory": " a[b] = 7;",
    "a lock around global data": " for (bool done = b > 0; !done;) if (atomicCAS((int*)a, 0, 1) == 0) {"
    " a[1] += 1; __threadfence(); atomicExch((int*)a, 0); done = true; }",
    "early way out": " if (t >= 40) return; if (b == 0) a[t] = t; __syncthreads(); if (b == 0 && t == 0) a[0] = a[39];",
}


@pytest.mark.parametrize("name", CLEAN)
def test_clean(name):
    run(source(CLEAN[name]))


def test_a_syncwarp_that_a_lane_never_reaches():
    text = source(
        " if (t != 7) {\n __syncwarp(); // HERE\n a[t] = 1; }\n __syncthreads(); if (n) a[0] = 1;"
    )
    with pytest.raises(warpemu.Finding, match="waits for lane 7 of its warp") as caught:
        run(text)
    assert caught.value.line == line_of(text, "HERE")


def test_marked_arrays():
    k = program(
        'extern "C" __global__ void k(float* a, float* b, int n) { if (threadIdx.x < n) b[threadIdx.x] = a[threadIdx.x] + 1; }'
    )
    a, b = np.zeros(64, "f4"), np.zeros(64, "f4")
    warpemu.mark_uninitialised(a)
    warpemu.mark_uninitialised(b)
    a[:32] = 1  # the host writes half
    k.launch((1,), (64,), [a, b, np.int32(32)])
    assert (b[:32] == 2).all()
    k.launch((1,), (64,), [b, a, np.int32(32)])  # what a launch wrote is written
    with pytest.raises(warpemu.Finding, match=r"reads b\[32\]|reads a\[32\]") as caught:
        k.launch((1,), (64,), [b, a, np.int32(64)])
    assert caught.value.kind == "uninitialised global read" and caught.value.counts == {
        "uninitialised global read": 32
    }


PARTIAL = """
extern "C" __global__ void k(int* sum, const int* in) {
    int t = threadIdx.x, v = in[t];
    if (t < 8) {
        for (int d = MOST; d > 0; d /= 2) v += __shfl_down_sync(0xff, v, d);
        if (t == 0) sum[0] = v;
    }
}"""


def test_what_a_shuffle_from_an_absent_lane_gives_may_stay_unused():
    """Lanes 4 to 7 get what lanes 8 to 11 have, who are elsewhere; lane 0 does not need it."""
    total, values = np.zeros(1, "i4"), np.arange(64, dtype="i4") + 1
    program(PARTIAL.replace("MOST", "4")).launch((1,), (64,), [total, values])
    assert total[0] == 36


@pytest.mark.parametrize("sanitize", [True, False])
def test_a_result_that_hangs_on_an_absent_lane(sanitize):
    k, arguments = program(PARTIAL.replace("MOST", "16")), [np.zeros(1, "i4"), np.ones(64, "i4")]
    why = "what an absent lane gives is undefined"
    if not sanitize:
        k.launch((1,), (64,), arguments, sanitize=False, not_on_gpu=why)
        return
    with pytest.raises(warpemu.Finding, match="reads lane 16 of its warp.*results depend") as it:
        k.launch((1,), (64,), arguments, not_on_gpu=why)
    assert it.value.kind == "shuffle from an absent lane"


def test_findings_are_counted():
    with pytest.raises(warpemu.Finding) as caught:
        program(
            source(
                SHARED + " if (n < 0) s[t] = 1; __syncthreads();\n if (b == 0) a[t] = s[t]; // HERE"
            )
        ).launch((1,), (64,), [np.zeros(64, "f4"), np.int32(64)])
    assert caught.value.counts == {"uninitialised shared read": 64}


def test_lanes_beyond_both_ends_of_an_array_are_counted_together():
    """An index below the first is an address in the slot of the array before; the first lane is
    the lowest, whichever slot it asks for.
    """
    with pytest.raises(warpemu.Finding) as caught:
        program(source(" if (t < 4) a[t == 1 ? 0 : t == 2 ? -1 : n] = 1; // HERE")).launch(
            (1,), (64,), [np.zeros(64, "f4"), np.int32(64)]
        )
    assert caught.value.counts == {"global out of bounds": 3}
    assert caught.value.thread == (0, 0, 0) and "a[64]" in str(caught.value)


def test_without_the_sanitizer_only_bounds_are_checked():
    text = source(FAULTS["no barrier after the load"][1])
    program(text).launch(
        (2,),
        (64,),
        [np.zeros(64, "f4"), np.int32(64)],
        sanitize=False,
        not_on_gpu="its threads race",
    )
    with pytest.raises(warpemu.Finding, match="out of bounds"):
        program(source(FAULTS["no guard"][1])).launch(
            (2,), (64,), [np.zeros(64, "f4"), np.int32(64)], sanitize=False
        )


@pytest.mark.parametrize("others, said", [({"shared race": 3}, True), ({}, False)])
def test_a_race_within_a_warp_and_beyond_says_which_barrier_it_takes(others, said):
    finding = warpemu.Finding(WARP, "a sentence", "k, line 3")
    finding.counts = {WARP: 2, **others}
    assert ("takes a __syncthreads()" in str(finding)) == said

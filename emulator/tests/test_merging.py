"""Which neighbouring accesses to shared memory count as one: those that ptxas makes one.

Each case is a kernel; all are compiled at once, for the disassembler takes its time.
"""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from emulator_helpers import line_of

import warpemu
from warpemu import nvrtc

LOADS = """
    __shared__ {type} s[4096];
    for (int i = threadIdx.x; i < 4096; i += 32) s[i] = out[i];
    __syncthreads();
    const {type}* p = s + {at};
    float sum = 0;
    {body}
    out[threadIdx.x] = sum;"""
STORES = """
    __shared__ {type} s[4096];
    __shared__ float other[64];
    other[threadIdx.x] = out[5 * threadIdx.x];
    __syncthreads();
    {type}* p = s + {at};
    {loads}
    __syncwarp();
    {body}
    __syncthreads();
    out[threadIdx.x] = s[n] + other[m];"""
BITS = {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1, "": 4}


def loads(words, type="float", at="8 * threadIdx.x"):
    body = " ".join(f"sum = sum * 3 + (float)p[{w}];" for w in words)
    return LOADS.format(type=type, at=at, body=body)


def stores(words, type="float", at="8 * threadIdx.x", between=""):
    read = " ".join(f"float v{w} = out[threadIdx.x * 77 + {3 * w}];" for w in words)
    body = between.join(f"p[{w}] = v{w};" for w in words)
    return STORES.format(type=type, at=at, loads=read, body=body)


def behind(first, use):
    """A load and a store of a pair of words, in a variable that stands behind another."""
    return f"""
    __shared__ {first};
    __shared__ struct {{ float value; int index; }} s[64];
    {use} = n;
    s[threadIdx.x] = {{out[threadIdx.x], n}};
    __syncthreads();
    auto v = s[threadIdx.x ^ n];
    out[threadIdx.x] = v.value + v.index + {use};"""


MIXED = """
    __shared__ __align__(16) float s[1024];
    float2 a = ((float2*)out)[threadIdx.x];
    *(float2*)(s + 4 * threadIdx.x) = a;
    s[4 * threadIdx.x + 2] = n;
    s[4 * threadIdx.x + 3] = m;
    __syncthreads();
    float2 b = *(float2*)(s + 4 * (threadIdx.x ^ n));
    out[threadIdx.x] = b.x * 3 + b.y + s[4 * (threadIdx.x ^ n) + 2] * 5;"""

# (body, which accesses are looked at, {bytes a lane: how many}).
CASES = [
    (loads((0, 1)), "LDS", {8: 1}),
    (loads((0, 2)), "LDS", {4: 2}),
    (loads((0, 3)), "LDS", {4: 2}),
    (loads((1, 2)), "LDS", {4: 2}),
    (loads((2, 3)), "LDS", {8: 1}),
    (loads((0, 1, 2)), "LDS", {16: 1}),  # one word too many is read
    (loads((0, 1, 3)), "LDS", {16: 1}),
    (loads((1, 2, 3)), "LDS", {16: 1}),
    (loads((0, 1, 2, 3)), "LDS", {16: 1}),
    (loads((1, 2, 3, 4)), "LDS", {16: 1, 4: 1}),
    (loads((1, 2, 3, 4, 5)), "LDS", {16: 1, 8: 1}),
    (loads((1, 2, 3, 4, 5, 6, 7)), "LDS", {16: 2}),
    (loads((2, 3, 4)), "LDS", {8: 1, 4: 1}),
    (loads((3, 4, 5, 6, 7, 8)), "LDS", {16: 1, 4: 2}),
    (loads((7, 6, 5, 4, 3, 2, 1)), "LDS", {16: 2}),
    (loads((0, 1, 2, 3), at="2 * threadIdx.x"), "LDS", {8: 2}),
    (loads((1, 2, 3), at="2 * threadIdx.x"), "LDS", {8: 1, 4: 1}),
    (loads((0, 1, 2), at="3 * threadIdx.x"), "LDS", {4: 3}),
    (loads((1, 2, 3, 4, 5, 6, 7), at="0"), "LDS", {16: 2}),
    (loads((0, 1), type="double"), "LDS", {16: 1}),
    (loads((1, 2, 3), type="double"), "LDS", {16: 1, 8: 1}),
    (loads((0, 1), type="short").replace("float", "int"), "LDS", {2: 2}),
    (loads((0, 1), type="volatile float"), "LDS", {4: 2}),
    # Stores; the one of 4 bytes more is the one to ``other``.
    (stores((0, 1)), "STS", {8: 1, 4: 1}),
    (stores((0, 2)), "STS", {4: 3}),
    (stores((1, 2)), "STS", {4: 3}),
    (stores((0, 1, 2)), "STS", {8: 1, 4: 2}),  # no word too many is written
    (stores((1, 2, 3)), "STS", {8: 1, 4: 2}),
    (stores((0, 1, 2, 3)), "STS", {16: 1, 4: 1}),
    (stores((3, 2, 1, 0)), "STS", {16: 1, 4: 1}),
    (stores((0, 2, 1)), "STS", {8: 1, 4: 2}),
    (stores((0, 8, 1)), "STS", {4: 4}),  # another 16 bytes between
    (stores((0, 4, 1, 5)), "STS", {4: 5}),
    (stores((0, 1, 4, 5, 2, 3)), "STS", {8: 3, 4: 1}),
    (stores((0, 1, 2, 3, 4, 5, 6, 7)), "STS", {16: 2, 4: 1}),
    (stores((0, 1, 2, 3), at="2 * threadIdx.x"), "STS", {8: 2, 4: 1}),
    (stores((0, 1), type="double"), "STS", {16: 1, 4: 1}),
    (stores((1, 2), type="double"), "STS", {8: 2, 4: 1}),
    (stores((0, 1), type="short"), "STS", {4: 2}),
    (stores((0, 1, 2, 3), type="short"), "STS", {8: 1, 4: 1}),
    (stores((0, 1), type="volatile float"), "STS", {4: 3}),
    (stores((0, 1), between="out[m] = v1;"), "STS", {8: 1, 4: 1}),
    (stores((0, 1), between="v1 += out[n];"), "STS", {8: 1, 4: 1}),
    (stores((0, 1), between="v1 += __shfl_xor_sync(~0u, v1, 1);"), "STS", {8: 1, 4: 1}),
    (stores((0, 1), between="__syncwarp();"), "STS", {4: 3}),
    (stores((0, 1), between="__threadfence_block();"), "STS", {4: 3}),
    (stores((0, 1), between="v1 += other[n];"), "STS", {4: 3}),
    (stores((0, 1), between="atomicAdd((int*)&other[m], 1);"), "STS", {4: 3}),
    (stores((0, 1), between="other[m] = v1;"), "STS", {4: 4}),
    (MIXED, "LDS STS", {16: 2}),
    # ptxas knows where a variable lies, whatever alignment it asks for.
    (behind("bool a[2]", "a[n]"), "LDS STS", {4: 4, 1: 2}),
    (behind("int a[2]", "a[n]"), "LDS STS", {8: 2, 4: 2}),
    (behind("int a[3]", "a[n]"), "LDS STS", {4: 6}),
]


@pytest.fixture(scope="module")
def ours():
    """[{(LDS or STS, bytes a lane): how many}] of the cases, as the emulator counts them."""
    names, ptx = {"ld": "LDS", "st": "STS"}, nvrtc.ptx(text(), "test.cu")
    programs = (warpemu.compile(ptx, f"k{n}") for n in range(len(CASES)))
    return [
        Counter(
            (names[item.name], item.access.counted)
            for item in program.instructions
            if item.name in names and item.access.space == "shared" and item.access.counted
        )
        for program in programs
    ]


@pytest.fixture(scope="module")
def theirs():
    """The same of the machine code that ptxas makes."""
    code = disassembled(nvrtc.cubin(text(), "test.cu"))
    parts = dict(re.findall(r"^\.text\.k(\d+):$(.*?)(?=^\.section|^//-----|\Z)", code, re.M | re.S))
    return [
        Counter(
            (name, BITS[width])
            for name, width in re.findall(r"\b(LDS|STS)(?:\.([SU]?\d+))? ", parts[str(n)])
        )
        for n in range(len(CASES))
    ]


def disassembled(cubin):
    """What NVIDIA's disassembler, of its wheel or on the PATH, prints of a cubin."""
    pathfinder = pytest.importorskip("cuda.pathfinder")
    program = pathfinder.find_nvidia_binary_utility("nvdisasm") or shutil.which("nvdisasm")
    if not program:
        pytest.skip("no nvdisasm here: pip install nvidia-cuda-nvdisasm")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "test.cubin"
        path.write_bytes(cubin)
        return subprocess.check_output([program, "-c", "-ndf", path], encoding="utf-8")


def text():
    """All cases as kernels k0, k1 and so on."""
    head = 'extern "C" __global__ void k{}(float* out, int n, int m) {{{}\n}}\n'
    return "".join(head.format(n, body) for n, (body, _, _) in enumerate(CASES))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_counts_as_one_is_what_ptxas_makes_one(ours, theirs, number):
    _, names, wide = CASES[number]

    def of(counts):
        return {k: n for k, n in counts.items() if k[0] in names.split()}

    assert of(ours[number]) == of(theirs[number])
    summed = Counter()
    for (_, width), n in of(ours[number]).items():
        summed[width] += n
    assert summed == wide


def test_a_load_that_is_widened_downwards_counts_where_it_begins(compiled):
    """Words 4l + 1 to 4l + 3 are read as words 4l to 4l + 3: no conflict."""
    text = """
    extern "C" __global__ void k(float* out) {
        __shared__ float s[128];
        for (int i = threadIdx.x; i < 128; i += 32) s[i] = i;
        __syncthreads();
        const float* p = s + 4 * threadIdx.x;
        out[threadIdx.x] = p[1] + p[2] * 3 + p[3] * 5;       // LOAD
    }"""
    out = np.zeros(32, "f4")
    report = compiled(text).launch((1,), (32,), [out], trace=True)
    line = report.lines[line_of(text, "LOAD")]
    assert (line.shared_ld_requests, line.shared_ld_wavefronts) == (1, 4)
    sample = next(s for s in report.samples[line_of(text, "LOAD")] if s.kind == "shared ld")
    assert (sample.size, sample.addresses[:3]) == (16, [0, 16, 32])
    words = 4 * np.arange(32)
    assert (out == words + 1 + 3 * (words + 2) + 5 * (words + 3)).all()

"""trace_file and `python -m warpbook trace`: any CUDA C++ file, its counts, faults and page."""

import re

import numpy as np
import pytest
from helpers import assert_balanced

from warpbook import CompileError, trace_file
from warpbook.__main__ import main
from warpbook.launch import device_code

ADD = """\
#include <cstdio>
#include <vector>
#include "tools.cuh"
#include "not_there.h"
#define REAL float
typedef REAL real;
static std::vector<int> sizes;
constexpr int side(int n) { return n + 1; }

namespace demo {
template <typename T, int N = 4>
__global__ void __launch_bounds__(128) scale(T* __restrict__ x, const real factor, uint32_t n)
{
    __shared__ T twice_side[side(1)];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 2) twice_side[threadIdx.x] = N;
    __syncthreads();
    if (i < n) x[i] = twice(x[i]) * factor + twice_side[1];
}
}

__global__ void shift(const float* in, float* out, int n)  // an off-by-one
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + OFFSET];
}

__global__ void wait_for(volatile int* flag) { while (*flag == 0) {} }

int main()
{
    std::vector<float> v(100);
    shift<<<1, 32>>>(v.data(), v.data(), 100);
    printf("done: %d\\n", (int)v.size());
}
"""
TOOLS = """\
#pragma once
#include <cstdint>
#include <iostream>
template <typename T> __device__ T twice(T x) { return x + x; }
void report(const char* text) { std::cout << text; }
"""
RACES = """\
__global__ void sum(const float* in, float* out)
{
    __shared__ float part[128];
    part[threadIdx.x] = in[threadIdx.x];
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = part[0];
    if (threadIdx.x == 40) out[1] = out[2];
}
"""


@pytest.fixture
def add(tmp_path):
    (tmp_path / "add.cu").write_text(ADD, encoding="utf-8")
    (tmp_path / "tools.cuh").write_text(TOOLS, encoding="utf-8")
    return str(tmp_path / "add.cu")


@pytest.fixture
def races(tmp_path):
    (tmp_path / "races.cu").write_text(RACES, encoding="utf-8")
    return str(tmp_path / "races.cu")


def launch(*words):
    return main(["trace", *words])


SHIFT = ("--kernel", "shift", "--grid", "2", "--block", "32", "n=50")


# The file


def test_host_code_is_left_out_and_lines_stay(add):
    found = trace_file(
        add, 1, 64, {"x": "ones:64", "factor": 3, "n": 50}, "scale<float>", defines={"OFFSET": 0}
    )
    assert found.clean and found.lines == (11, 19)
    assert found.arrays["x"].tolist() == [10.0] * 50 + [1.0] * 14
    assert 18 in found.trace.lines and found.trace.lines[18].global_ld_requests == 2
    said = "\n".join(found.left_out)
    assert "lines 30 to 35: int main()" in said and "not_there.h" in said


def test_a_template_takes_its_arguments_and_its_types(add):
    arguments = {"x": np.arange(8.0), "factor": "0.5", "n": 8}
    found = trace_file(add, 1, 32, arguments, "demo::scale<double, 7>", defines={"OFFSET": 0})
    assert found.arrays["x"].tolist() == [i + 7 for i in range(8)]
    assert arguments["x"].tolist() == list(range(8)), "the array given stays as it is"
    with pytest.raises(TypeError, match="x is declared double.*f8, not f4"):
        trace_file(
            add,
            1,
            32,
            {"x": np.ones(8, "f4"), "factor": 1, "n": 8},
            "scale<double>",
            defines={"OFFSET": 0},
        )
    with pytest.raises(LookupError, match="demo::scale is a template of T, N"):
        trace_file(add, 1, 32, {}, "scale")


def test_several_kernels_are_listed_and_a_name_is_guessed(add):
    with pytest.raises(LookupError, match="3 kernels: demo::scale<T, N>, shift, wait_for"):
        trace_file(add, 1, 32, {})
    with pytest.raises(LookupError, match="no kernel 'shfit'. Did you mean shift"):
        trace_file(add, 1, 32, {}, "shfit")


def test_defines_and_folders_of_headers(tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "size.h").write_text("#define SIZE 8\n", encoding="utf-8")
    (tmp_path / "a.cu").write_text(
        '#include "size.h"\n__global__ void k(int* o) { o[threadIdx.x] = SIZE + MORE; }\n',
        encoding="utf-8",
    )
    given = (tmp_path / "a.cu", 1, 4, {"o": "nan:4"})
    found = trace_file(*given, defines={"MORE": 2}, folders=[tmp_path / "inc"])
    assert found.arrays["o"].tolist() == [10] * 4
    with pytest.raises(CompileError, match='"SIZE" is undefined(.|\n)*size.h: not found'):
        trace_file(*given, defines={"MORE": 2})


def test_a_kernel_of_a_header_beside_the_file(tmp_path):
    (tmp_path / "run.cu").write_text(
        '#include "k.cuh"\nint main() { k<<<1, 1>>>(0); }\n', encoding="utf-8"
    )
    (tmp_path / "k.cuh").write_text(
        "// a\n\n__global__ void k(int* o) { o[0] = o[1]; }\n", encoding="utf-8"
    )
    found = trace_file(tmp_path / "run.cu", 1, 1, {"o": "nan:2"})
    assert [(f.kind, f.line) for f in found.findings] == [("uninitialised global read", 3)]
    assert "k.cuh: k" in repr(found) and "3 __global__ void k" in repr(found)


def test_a_kernel_that_a_macro_makes_takes_its_arguments_in_order(tmp_path):
    (tmp_path / "m.cu").write_text(
        "#define MAKE(NAME, OP) __global__ void NAME(float* a, float b) { a[0] = a[0] OP b; }\n"
        "MAKE(plus_it, +)\n",
        encoding="utf-8",
    )
    found = trace_file(tmp_path / "m.cu", 1, 1, ["ones:f4:1", 2], "plus_it")
    assert found.arrays["parameter0"].tolist() == [3]


def test_a_fault_in_the_kernel_is_the_compilers(tmp_path):
    (tmp_path / "a.cu").write_text(
        "__device__ int f() { return nix; }\n__global__ void k() {f();}", encoding="utf-8"
    )
    with pytest.raises(CompileError, match=r'a.cu\(1\): error: identifier "nix"'):
        trace_file(tmp_path / "a.cu", 1, 1, {})


@pytest.mark.parametrize(
    "header, line",
    [
        ("math.h", "x[0] = INFINITY > 1 && M_PI < 4"),
        ("cmath", "x[0] = std::sqrt(16.0f) == 4 && std::abs(-1.0f) == 1"),
        ("cfloat", "x[0] = FLT_MAX > DBL_EPSILON"),
        ("climits", "x[0] = INT_MAX > CHAR_BIT"),
        ("limits", "x[0] = std::numeric_limits<float>::infinity() > 1"),
        ("stdint.h", "uint64_t a = 1; int8_t b = 1; x[0] = (uintptr_t)a == b"),
        ("algorithm", "x[0] = std::max(1, 2) == std::min(3, 2)"),
        ("type_traits", "x[0] = std::is_same<int, int>::value"),
        ("cassert", "assert(x); x[0] = 1"),
        ("vector", "uint a = 1; x[0] = a"),
    ],
)
def test_standard_headers_have_what_device_code_uses(tmp_path, header, line):
    (tmp_path / "a.cu").write_text(
        f"#include <{header}>\n__global__ void k(int* x) {{ {line}; }}", encoding="utf-8"
    )
    assert trace_file(tmp_path / "a.cu", 1, 1, {"x": "nan:1"}).arrays["x"][0] == 1


# The findings


def test_every_finding_is_kept_by_kind_and_line(races):
    found = trace_file(races, 1, 128, {"in": "rand:128", "out": "nan:3"})
    kinds = [(f.kind, f.line) for f in found.findings]
    assert ("shared race", 6) in kinds and ("uninitialised global read", 10) in kinds
    assert not found.clean and all(f.times >= 1 for f in found.findings)
    assert found.trace.barriers == 4 * 7


def test_exit_1_says_kind_line_block_thread_address_and_array(add, capsys):
    assert launch(add, *SHIFT, "-D", "OFFSET=1", "in=rand:f4:50", "out=nan:f4:50") == 1
    told = capsys.readouterr().out
    assert "global out of bounds at line 25, block (1, 0, 0), thread (17, 0, 0), in[50]" in told
    assert re.search(r"address 0x[0-9a-f]+", told)
    assert "It reads 4 bytes at in[50], but in has 50 elements of float32." in told
    assert re.search(r"FINDING 1: global out of bounds \| 25 ", told)


def test_exit_0_and_the_tables_of_a_clean_launch(add, capsys):
    assert launch(add, *SHIFT, "-DOFFSET=0", "in=rand:f4:50", "out=nan:f4:64") == 0
    told = capsys.readouterr().out
    assert "add.cu: shift, no finding\ngrid 2, block 32\n" in told
    assert re.search(r"global loads +2 +requests +3.5 sectors each, 89% of their bytes", told)
    assert "out  f4 64  14 elements never written, the first out[50], from " in told
    assert re.search(r"\nld 2 x 3.5 sectors \| 25 .*\nst 2 x 3.5 sectors \|\n", told)
    assert "No finding." in told


def test_an_endless_wait_is_a_finding_and_a_long_launch_is_not_finished(add, tmp_path, capsys):
    wait = ("--kernel", "wait_for", "--grid", "1", "--block", "32", "-DOFFSET=0", "flag=zeros:1")
    assert launch(add, *wait) == 1
    assert "endless wait at line 28" in capsys.readouterr().out
    (tmp_path / "long.cu").write_text(
        "__global__ void k(float* x, int n) { float s = 0; "
        "for (int i = 0; i < n; i++) s = sinf(s + x[i & 7]); x[threadIdx.x] = s; }",
        encoding="utf-8",
    )
    limit = ("--grid", "1", "--block", "8", "--seconds", "1", "x=ones:8", "n=100000000")
    assert launch(str(tmp_path / "long.cu"), *limit) == 2
    assert "Stopped after 1 seconds, at line 1" in capsys.readouterr().out


# The page


def test_the_page_needs_nothing_else(races, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert (
        launch(
            races,
            "--grid=1",
            "--block=128",
            "in=rand:128",
            "out=nan:3",
            f"--html={page}",
            f"--save={tmp_path}",
        )
        == 1
    )
    html = page.read_text(encoding="utf-8")
    assert html.startswith('<!doctype html>\n<html lang="en">') and "viewport" in html
    assert not re.search(r"(?:src|href)=|@import|url\(", html)
    assert "prefers-color-scheme:dark" in html and "shared race at line 6" in html
    body = html[html.index("<main") : html.index("</main>") + 7]
    assert_balanced(re.sub(r"<br>|<style>.*?</style>", "", body, flags=re.S))
    assert np.load(tmp_path / "out.npy").shape == (3,)


def test_the_page_is_sound_in_a_browser(races, tmp_path, browser):
    from helpers import PHONE, WIDE, errors, look, violations

    page = tmp_path / "page.html"
    page.write_text(
        trace_file(races, 1, 128, {"in": "rand:128", "out": "nan:3"}).page(), encoding="utf-8"
    )
    for dark in (False, True):
        look(browser, page.as_uri(), PHONE, dark)
        assert errors(browser) == [] == violations(browser)
        assert browser.execute_script(WIDE) == []


# What cannot be run


IN, OUT, N = "in=rand:50", "out=nan:50", "n=1"


@pytest.mark.parametrize(
    "words, told",
    [
        ([IN, OUT, "nn=1"], "it has no parameter 'nn' (did you mean n?)"),
        ([IN], "no value for out, n. Its parameters:\n  in   const float* in\n  out  float* out"),
        (["in=rand:f8:50", OUT, N], "in is declared float*, which is f4, not f8: write rand:f4:50"),
        (["in=rnd:50", OUT, N], "'rnd:50' is no array. Did you mean rand?"),
        (["in=rand", OUT, N], "'rand' has no shape. Write rand:f4:1024"),
        (["in=rand:5O", OUT, N], "'5O' in 'rand:5O' is no dtype and no shape"),
        ([IN, OUT, "n=1.5"], "n is declared int (-2,147,483,648 to 2,147,483,647), but got 1.5"),
        ([IN, OUT, "n=zeros:i4:1"], "n is a number (int), and 'zeros:i4:1' asks for an array"),
        (["in=x.npy", OUT, N], "x.npy cannot be read"),
        ([IN, OUT, "1"], "'1' has no name: write NAME=1"),
        ([IN, IN, N], "'in' is given twice"),
        ([IN, OUT, N, "--block=2000"], "block.x is 2000; it must be from 1 to 1,024"),
        ([IN, OUT, N, "--grid=x"], "'x' is no grid or block"),
        ([IN, OUT, N, "--shared=300000"], "300,000 bytes of dynamic shared memory"),
    ],
)
def test_exit_2_is_a_sentence(add, capsys, words, told):
    assert launch(add, *SHIFT[:-1], "-DOFFSET=0", *words) == 2
    assert told in capsys.readouterr().err


def test_exit_2_for_a_file_that_is_not_there_or_does_not_compile(tmp_path, capsys):
    assert launch(str(tmp_path / "nix.cu"), "--grid=1", "--block=1") == 2
    (tmp_path / "bad.cu").write_text("__global__ void k() { nix(); }", encoding="utf-8")
    assert launch(str(tmp_path / "bad.cu"), "--grid=1", "--block=1") == 2
    assert 'bad.cu(1): error: identifier "nix" is undefined' in capsys.readouterr().err


def test_a_pointer_to_pointers_and_a_struct_say_what_to_do(tmp_path, capsys):
    (tmp_path / "p.cu").write_text(
        "struct P { int n; float a; };\n"
        "__global__ void t(float** rows) { rows[0][0] = 1; }\n"
        "__global__ void s(P p, float4 v, bool on, float* o) { if (on) o[0] = p.n * p.a + v.w; }\n",
        encoding="utf-8",
    )
    file = str(tmp_path / "p.cu")
    assert launch(file, "--kernel=t", "--grid=1", "--block=1", "rows=zeros:f4:1") == 2
    assert "a pointer to pointers" in capsys.readouterr().err
    assert (
        launch(file, "--kernel=s", "--grid=1", "--block=1", "p=1", "v=1,2,3,4", "on=1", "o=nan:1")
        == 2
    )
    assert "p is declared P, which has 8 bytes" in capsys.readouterr().err
    raw = tmp_path / "p.npy"
    np.save(raw, np.array((3, 2.5), [("n", "i4"), ("a", "f4")]))
    found = trace_file(file, 1, 1, {"p": str(raw), "v": "1,2,3,4", "on": "true", "o": "nan:1"}, "s")
    assert found.arrays["o"].tolist() == [11.5]


MATMUL = """\
#define TILE 16
template <int SIDE> __global__ void matmul(float* c, const float* a, int width, float alpha)
{
    c[threadIdx.y * width + threadIdx.x] = alpha * a[threadIdx.y * SIDE + threadIdx.x];
}
namespace deep { __global__ void other(const short* q, double** table) {} }
int main()
{
    const int n = 2 * TILE, unknown = atoi("3");  // matmul<8><<<1, 2>>>(c)
    dim3 threads(TILE, TILE), late;
    matmul<TILE><<<dim3(unknown, 1), threads>>>(c, a, n, 2.0f);
    matmul<16> <<<dim3{n / threads.x}, threads>>>(c, a, n, 2.0f);
    matmul<32><<<dim3(n / TILE, 1), threads, 64 * sizeof(float)>>>(c,
        a, n, 2.0f);
    deep::other<<<(n + 255) / 256, 256>>>(q, t);
}
"""


def test_a_file_alone_lists_kernels_launches_and_a_command_that_works(tmp_path, capsys):
    path = tmp_path / "matmul.cu"
    path.write_text(MATMUL, encoding="utf-8")
    assert main(["trace", str(path)]) == 0
    said = capsys.readouterr().out
    assert "matmul<SIDE>(float* c, const float* a, int width, float alpha)" in said
    assert "line 13: matmul<32><<<dim3(n / TILE, 1), threads, 64 * sizeof(float)>>>(c, a, n" in said
    assert "deep::other(const short* q, double** table)" in said
    assert "matmul<8>" not in said
    (command,) = [line for line in said.splitlines() if line.startswith("  python")]
    words = command.split(" trace matmul.cu ")[1].replace("'", "").split()
    assert " ".join(words) == (
        "--kernel matmul<32> --grid 2,1 --block 16,16 --shared 256 c=zeros:f4:512 a=rand:f4:512 "
        "width=32 alpha=1"
    )
    launch(str(path), *words[:2], "--grid", "1", *words[4:])  # SIDE is the width of a
    assert "no finding" in capsys.readouterr().out


def test_a_launch_without_a_grid_says_what_it_lacks(add, capsys):
    assert main(["trace", add, "--block", "32", "n=3"]) == 2
    assert "a launch needs --grid, too" in capsys.readouterr().err


def test_a_file_without_kernels_is_refused(tmp_path, capsys):
    (tmp_path / "host.cu").write_text("int main() {}", encoding="utf-8")
    assert main(["trace", str(tmp_path / "host.cu")]) == 2
    assert "has no kernel" in capsys.readouterr().err


CHAIN = """\
#include <cublas_of_elsewhere.h>
typedef nowhere_t inner_t;
typedef inner_t floatX;
__device__ floatX change(floatX v) { return v; }
__global__ void enc(floatX* out) { out[0] = change(out[1]); floatX a, b, c; out[2] = a + b + c; }
__global__ void halves(__nv_bfloat16* o, const half* h) { o[0] = __float2bfloat16(float(h[0])); }
template <int N> __global__ void fill(int32_t* y) { __shared__ uint8_t s[N]; s[0] = N; *y = *s; }
template <int N> __global__ void lacks(absent_t* y) { absent_t u[N][2]; put<absent_t, N>(u, y[0]); }
template <typename T, int M, int N = 2>
__device__ void put(absent_t (&R)[M][N], absent_t value) { R[0][0] = value; }
"""


def test_the_cause_of_errors_comes_first(tmp_path):
    (tmp_path / "chain.cu").write_text(CHAIN, encoding="utf-8")
    with pytest.raises(CompileError) as refused:
        trace_file(tmp_path / "chain.cu", 1, 32, {}, "enc")
    first, cause, *rest = str(refused.value).splitlines()
    assert first == "NVRTC refuses chain.cu:"
    assert cause.startswith("The cause: chain.cu, line 2: typedef nowhere_t inner_t (identifier")
    assert "does not name one kernel" not in str(refused.value)


def test_a_text_that_crashes_the_compiler_is_a_message(tmp_path):
    (tmp_path / "chain.cu").write_text(CHAIN, encoding="utf-8")
    with pytest.raises(CompileError, match="absent_t") as refused:
        trace_file(tmp_path / "chain.cu", 1, 32, {}, "lacks<4>")
    assert "may be a header that is not found: cublas_of_elsewhere.h. Name" in str(refused.value)


def test_what_nvcc_or_a_missing_header_brings_is_known(tmp_path):
    (tmp_path / "chain.cu").write_text(CHAIN, encoding="utf-8")
    halves = {"o": "nan:4", "h": "ones:4"}
    assert trace_file(tmp_path / "chain.cu", 1, 32, halves, "halves").arrays["o"][0] == 0x3F80
    assert trace_file(tmp_path / "chain.cu", 1, 1, {"y": "nan:1"}, "fill<4>").arrays["y"] == [4]


def test_a_header_of_cuda_that_the_compiler_refuses_is_taken_as_empty(tmp_path, monkeypatch):
    toolkit = tmp_path / "cuda" / "include"
    toolkit.mkdir(parents=True)
    (toolkit / "profile_all.h").write_text('#include "profile_api.h"\n', encoding="utf-8")
    (toolkit / "profile_api.h").write_text("extern __host__ int begin(void);\n", encoding="utf-8")
    known = [*device_code._cuda_headers(), f"-I{toolkit}"]
    monkeypatch.setattr(device_code, "_cuda_headers", lambda: known)
    text = "#include <profile_all.h>\n__global__ void one(float* y) { y[threadIdx.x] = 1; }\n"
    (tmp_path / "a.cu").write_text(text, encoding="utf-8")
    found = trace_file(tmp_path / "a.cu", 1, 32, {"y": "nan:32"})
    assert found.clean
    assert any("profile_all.h" in said for said in found.left_out)


def test_a_kernel_of_a_header_is_named_where_the_file_has_one_of_its_own(tmp_path):
    header = "namespace M2 { template <int N> __global__ void two(float* y) { y[0] = N; } }\n"
    (tmp_path / "two.cuh").write_text(header, encoding="utf-8")
    text = '#include "two.cuh"\n__global__ void warm_up() {}\n'
    (tmp_path / "a.cu").write_text(text, encoding="utf-8")
    for name in ("M2::two<7>", "two<7>"):
        assert trace_file(tmp_path / "a.cu", 1, 1, {"y": "nan:1"}, name).arrays["y"] == [7]
    with pytest.raises(LookupError, match="Did you mean M2::two"):
        trace_file(tmp_path / "a.cu", 1, 1, {}, "M2::tow<7>")


VALUES = """\
#include <cuda.h>
typedef struct { int n; float a, w[3]; const float* x; float4 v; char c; } Params;
struct Odd { int n; struct { int m; } inner; };
__global__ void table(float** rows, int n)
{
    if (threadIdx.x < n) rows[1][threadIdx.x] = rows[0][threadIdx.x] * (rows[2] ? 3 : 2);
}
__global__ void members(const Params p, float* o)
{
    o[0] = p.n * p.a + p.w[2] + p.x[3] + p.v.w + p.c;
}
__global__ void odd(Odd p, float* o) { o[0] = p.n + p.inner.m; }
__global__ void box(const __grid_constant__ CUtensorMap map, float* o)
{
    __shared__ alignas(128) float tile[8 * 32];
    __shared__ unsigned long long bar;
    unsigned to = __cvta_generic_to_shared(tile), at = __cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(at));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                     "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(to), "l"(&map), "r"(32), "r"(8), "r"(at) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;"
                 "@!p bra again; }" :: "r"(at) : "memory");
    for (int i = threadIdx.x; i < 256; i += 32) o[i] = tile[i];
}
"""
PARAMS = {"n": 3, "a": "2.5", "w": "1:2:3", "x": "arange:4", "v": "1:2:3:4", "c": "-1"}


@pytest.fixture
def values(tmp_path):
    (tmp_path / "values.cu").write_text(VALUES, encoding="utf-8")
    return str(tmp_path / "values.cu")


def test_a_pointer_to_pointers_takes_an_array_for_each(values, capsys):
    found = trace_file(values, 1, 32, {"rows": "[arange:4,nan:8,null]", "n": "4"}, "table")
    assert found.clean
    assert found.arrays["rows[1]"][:4].tolist() == [0, 2, 4, 6]
    assert "rows[1]  f4 8  4 elements never written, the first rows[1][4]" in str(found)
    arrays = [np.ones(4, np.float32), np.zeros(4, np.float32), np.ones(1, np.float32)]
    found = trace_file(values, 1, 32, {"rows": arrays, "n": 5}, "table")
    assert {finding.array for finding in found.findings} == {"rows[0]"}
    assert arrays[1].tolist() == [0, 0, 0, 0]
    for wrong, told in (("[]", "holds no array"), ("[zeros:i4:3]", "which is f4, not i4")):
        assert (
            launch(values, "--kernel=table", "--grid=1", "--block=1", f"rows={wrong}", "n=1") == 2
        )
        assert told in capsys.readouterr().err


def test_a_struct_takes_its_members(values, capsys):
    said = "p={" + ",".join(f"{name}={value}" for name, value in PARAMS.items()) + "}"
    start = (values, "--grid=1", "--block=1", "o=nan:1")
    assert launch(*start, "--kernel=members", said) == 0
    assert "from 16.5 to 16.5" in capsys.readouterr().out
    given = {"p": {**PARAMS, "x": np.arange(4, dtype=np.float32)}, "o": "nan:1"}
    assert trace_file(values, 1, 1, given, "members").arrays["o"] == [16.5]
    for kernel, wrong, told in (
        ("members", "p={n=3}", "has the members n, a, w, x, v, c: give a value for each"),
        ("members", said.replace("1:2:3:4", "1:2"), "p.v is declared float4: give 4 numbers"),
        ("members", said.replace("w=1:2:3", "w=1"), "p.w is declared float w: give 3 numbers"),
        ("members", said.replace("n=3", "n=x"), "p.n: 'x' is no number"),
        ("odd", "p={n=3,inner=1}", "its members cannot be told from the text"),
    ):
        assert launch(*start, f"--kernel={kernel}", wrong) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("__global__ void members", "'p={n=...,a=...,w=...,x=...,v=...,c=...}' o=zeros:f4:1024"),
        ("__global__ void odd", "p=... o=zeros:f4:1024"),
        ("__global__ void box", "map=box:16x16:rand:f2:256x256 o=zeros:f4:1024"),
        ("__global__ void table", "'rows=[zeros:f4:1024]' n=1024"),
    ],
)
def test_the_command_to_try_has_the_form_of_each_value(tmp_path, capsys, start, words):
    head, _, kernel = VALUES.partition(start)  # that kernel alone
    head = head.split("__global__")[0] + start + kernel.split("__global__")[0]
    (tmp_path / "a.cu").write_text(head, encoding="utf-8")
    assert launch(str(tmp_path / "a.cu")) == 0
    assert f"a.cu --grid 4 --block 256 {words}\n" in capsys.readouterr().out


def test_a_tensor_map_is_a_box_of_an_array(values, capsys):
    found = trace_file(values, 1, 32, {"map": "box:8x32:arange:f4:64x64", "o": "nan:256"}, "box")
    assert found.clean
    whole = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    assert (found.arrays["o"].reshape(8, 32) == whole[8:16, 32:64]).all()
    start = (values, "--kernel=box", "--grid=1", "--block=32")
    for words, told in (
        (["map=box:8x300:rand:f4:64x64", "o=nan:256"], "map: "),
        (["map=box:8:rand:f4:64x64", "o=nan:256"], "map: "),
        (["map=box:8x32", "o=nan:256"], "is no tensor map: write box:64x32:rand"),
        (
            ["map=box:8x32:rand:f4:64x64", "o=box:8:rand:f4:8"],
            "o is declared float* o, which is no",
        ),
    ):
        assert launch(*start, *words) == 2
        assert told in capsys.readouterr().err


ON_ONE_LINE = """\
#include <blas.h>
static blas_type_t kind; blas_handle_t handle; __global__ void one(float* y) { y[0] = 1; }
class Sim { blas_t b; void run() { one<<<1, 1>>>(0); } int n; };
"""


def test_declarations_on_one_line_are_left_out_one_by_one(tmp_path):
    (tmp_path / "a.cu").write_text(ON_ONE_LINE, encoding="utf-8")
    assert trace_file(tmp_path / "a.cu", 1, 1, {"y": "nan:1"}).arrays["y"] == [1]

"""The launch: what it converts, and what it refuses in which words. Runs in the emulator."""

import numpy as np
import pytest

import warpemu
from warpbook import tensor_map
from warpbook.launch import arguments, kernel
from warpbook.launch.backend import cp
from warpemu import Finding, nvrtc

SOURCE = """
#ifndef SCALE
#define SCALE 2
#endif
extern "C" __global__
void demo_scale(const float* __restrict__ in, float* out, int n, float offset)
{
    __shared__ float held[256];
    extern __shared__ float more[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = i < n ? in[i] : 0.0f;
    if (i < n) out[i] = SCALE * held[threadIdx.x] + offset;
}
"""
N = 100


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("cu") / "demo.cu"
    path.write_text(SOURCE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scale(path):
    return kernel.load_path(path)


@pytest.fixture
def a():
    return cp.random.default_rng(1).random(N, dtype=cp.float32)


def test_launch_computes(scale, a):
    out = cp.full(N, cp.nan, cp.float32)
    scale(2, (64,), a, out, N, 1)
    np.testing.assert_allclose(cp.asnumpy(out), 2 * cp.asnumpy(a) + 1, rtol=1e-6)


def test_define_changes_the_kernel(path, a):
    out = cp.full(N, cp.nan, cp.float32)
    kernel.load_path(path, SCALE=3)(2, 64, a, out, N, 0.0)
    np.testing.assert_allclose(cp.asnumpy(out), 3 * cp.asnumpy(a), rtol=1e-6)


@pytest.mark.parametrize(
    "assumes, remedy",
    [
        (
            "n a multiple of SCALE",
            "n is 99, which has to be a multiple of 2, .*Load it with SCALE=1",
        ),
        ("n a multiple of 8; sm_80", "n is 99, which has to be a multiple of 8, .*Choose another"),
    ],
)
def test_a_size_that_is_no_multiple_is_refused(tmp_path, a, assumes, remedy):
    path = tmp_path / "demo.cu"
    path.write_text(f"// Assumes:  {assumes}\n{SOURCE}", encoding="utf-8")
    out = cp.full(N, cp.nan, cp.float32)
    with pytest.raises(ValueError, match=remedy):
        kernel.load_path(path)(2, 64, a, out, 99, 1)
    assert bool(cp.isnan(out).all())
    kernel.load_path(path)(2, 64, a, out, 96, 1)


def test_assumes_goes_on_over_lines(tmp_path, a):
    path = tmp_path / "demo.cu"
    path.write_text(
        f"// Assumes:  16 bytes an element or less;\n//           n a multiple of 8\n{SOURCE}",
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="n is 99, which has to be a multiple of 8"):
        kernel.load_path(path)(2, 64, a, cp.zeros_like(a), 99, 1)


def test_unknown_define_lists_those_there_are(path):
    with pytest.raises(LookupError, match="no define 'SIZE'. It has: SCALE"):
        kernel.load_path(path, SIZE=3)


def test_compile_error_has_the_files_name_and_line(tmp_path):
    bad = tmp_path / "bad.cu"
    bad.write_text(SOURCE.replace("offset;", "offset"), encoding="utf-8")
    with pytest.raises(nvrtc.CompileError, match=r"bad\.cu\(13\): error"):
        kernel.load_path(bad)


REFUSED = {
    "too few arguments": (lambda a: (2, 64, a, a, N), TypeError, "takes 4 .*offset.*got 3"),
    "zero grid": (lambda a: (0, 64, a, a, N, 1), ValueError, "grid.x is 0.*needs no launch"),
    "float grid": (lambda a: (N / 64, 64, a, a, N, 1), TypeError, r"with ceil_div\(n, size\)"),
    "four axes": (lambda a: ((1, 1, 1, 1), 64, a, a, N, 1), TypeError, "one to three ints"),
    "grid.y": (lambda a: ((1, 70000), 64, a, a, N, 1), ValueError, "grid.y is 70000.*65535"),
    "block.z": (lambda a: (1, (1, 1, 65), a, a, N, 1), ValueError, "block.z is 65.*to 64"),
    "threads": (lambda a: (1, (64, 32), a, a, N, 1), ValueError, "2048 threads.*allows 1024"),
    "list": (lambda a: (1, 64, [1.0], a, N, 1), TypeError, "'in' is a pointer.*Pass an array"),
    "dtype": (
        lambda a: (1, 64, a.astype("f8"), a, N, 1),
        TypeError,
        r"'in' is declared float\*, but the array holds float64.*astype",
    ),
    "strided": (lambda a: (1, 64, a[::2], a, N, 1), ValueError, "strided view.*ascontiguousarray"),
    "array for int": (lambda a: (1, 64, a, a, a, 1), TypeError, "'n' is declared int.*array"),
    "fraction": (lambda a: (1, 64, a, a, N / 3, 1), TypeError, "'n' is declared int.*Round it"),
    "overflow": (lambda a: (1, 64, a, a, 2**31, 1), ValueError, "2147483647.*long long"),
    "text": (lambda a: (1, 64, a, a, N, "1"), TypeError, "'offset' is declared float"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_launch_refuses(scale, a, case):
    arguments, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        scale(*arguments(a))


def test_too_much_shared_memory_is_refused(scale, a):
    with pytest.raises(ValueError, match="300000 with 1024 static bytes exceeds"):
        scale(1, 64, a, a, N, 1, shared_bytes=300_000)


def test_opt_in_is_made_and_said_once(path, a, capsys):
    fresh = kernel.load_path(path)
    out = cp.zeros_like(a)
    for _ in range(2):
        fresh(1, 64, a, out, N, 1, shared_bytes=60_000)
    assert capsys.readouterr().out.count("opted in to 60000 bytes") == 1


def test_vector_pointer_wants_alignment(tmp_path, a):
    path = tmp_path / "wide.cu"
    path.write_text(
        'extern "C" __global__ void wide(float4* a) { a[0].x = 1.0f; }', encoding="utf-8"
    )
    wide = kernel.load_path(path)
    wide(1, 1, a)
    with pytest.raises(ValueError, match="float4.*multiple of 16 bytes"):
        wide(1, 1, a[1:])


def test_three_floats_are_no_number_and_want_no_alignment(tmp_path, a):
    path = tmp_path / "three.cu"
    path.write_text(
        'extern "C" __global__ void three(float3* a, float3 b) { a[0].y = b.z; }', encoding="utf-8"
    )
    three, given = kernel.load_path(path), np.array([1, 2, 3], np.float32).view("V12")[0]
    three(1, 1, a[1:], given)
    assert float(a[2]) == 3


STORE = 'extern "C" __global__ void store(long long* out, %s n) { out[0] = n; }'


def stored(folder, ctype, value, before=""):
    """What a kernel gets for a number that is declared ``ctype``."""
    path = folder / "store.cu"
    path.write_text(before + STORE % ctype, encoding="utf-8")
    out = cp.zeros(1, cp.int64)
    kernel.load_path(path)(1, 1, out, value)
    return int(out[0])


@pytest.mark.parametrize(
    "ctype",
    [
        "long",
        "unsigned long",
        "long int",
        "int long unsigned",
        "short int",
        "signed",
        "signed int",
        "unsigned short int",
        "long long int",
        "unsigned long long int",
        "const unsigned",
    ],
)
def test_a_python_int_fits_every_integer(tmp_path, ctype):
    assert stored(tmp_path, ctype, 12345) == 12345


@pytest.mark.parametrize("ctype", ["uint32_t", "std::uint32_t", "cuda::std::uint32_t"])
def test_a_python_int_fits_an_integer_of_a_header(tmp_path, ctype):
    before = "#include <cuda/std/cstdint>\nnamespace std { using cuda::std::uint32_t; }\n"
    assert stored(tmp_path, ctype, 2**32 - 1, before) == 2**32 - 1
    with pytest.raises(ValueError, match="n' is declared .*uint32_t .0 to 4294967295., but got -1"):
        stored(tmp_path, ctype, -1, before)


def test_a_python_number_for_an_unknown_type_is_refused(tmp_path):
    before = "typedef unsigned u32;\n"
    with pytest.raises(TypeError, match=r"declared u32, whose size .* such as np\.uint32\(5\)"):
        stored(tmp_path, "u32", 5, before)
    with pytest.raises(TypeError, match=r"such as np\.float32\(0.5\)"):
        stored(tmp_path, "u32", 0.5, before)
    assert stored(tmp_path, "u32", np.uint32(5), before) == 5


def test_the_table_of_types_has_the_sizes_that_the_compiler_gives_them():
    """A long is 8 bytes, on Windows 4: NumPy's follows the platform as the compiler's does."""
    headers = "#include <cuda_fp16.h>\n#include <cuda/std/cstdint>\nusing namespace cuda::std;\n"
    vectors = [f"{name}{n}" for name in ("long", "ulong", "uint", "float") for n in (2, 3, 4)]
    alone = {"uchar", "ushort", "uint", "ulong", "longlong", "ulonglong"}  # as in uchar4
    types = [*(name for name in arguments.SCALARS if name not in alone), *vectors, "half2"]
    given = "".join(f", {ctype} p{k}" for k, ctype in enumerate(types))
    sizes = "".join(f"out[{k}] = sizeof(p{k}); " for k in range(len(types)))
    text = f'{headers}extern "C" __global__ void all(int* out{given}) {{ {sizes} }}'
    program, out = warpemu.compile(nvrtc.ptx(text), "all"), np.zeros(len(types), np.int32)
    own = [(np.dtype(dtype), n) for dtype, n in (arguments.dtype_of(t, {}) for t in types)]
    values = [np.zeros(p.bytes, np.uint8).tobytes() for p in program.function.parameters[1:]]
    program.launch((1,), (1,), [out, *values])
    assert dict(zip(types, out, strict=True)) == {
        ctype: dtype.itemsize * n for ctype, (dtype, n) in zip(types, own, strict=True)
    }


def test_an_array_where_a_struct_is_wanted_is_refused(tmp_path, a):
    path = tmp_path / "corner.cu"
    path.write_text(
        "struct alignas(64) TensorMap { unsigned long long words[16]; };\n"
        'extern "C" __global__ void corner(const __grid_constant__ TensorMap m, float* o)'
        "{ o[0] = sizeof(m); }",
        encoding="utf-8",
    )
    corner = kernel.load_path(path)
    with pytest.raises(TypeError, match=r"declared TensorMap, .* tensor_map\(array, box\)"):
        corner(1, 1, a, a)
    corner(1, 1, tensor_map(a, (4,)), a)
    assert float(a[0]) == 128


@pytest.mark.parametrize("declared", ["float (*o)[4]", "float o[][4]"])
def test_a_pointer_to_an_array_takes_an_array(tmp_path, a, declared):
    path = tmp_path / "rows.cu"
    path.write_text(
        f'extern "C" __global__ void rows({declared}, int n = 0) {{ o[2][1] = 7; }}',
        encoding="utf-8",
    )
    kernel.load_path(path)(1, 1, a, 0)
    assert float(a[9]) == 7
    with pytest.raises(TypeError, match=r"'o' is declared float\*, but the array holds int32"):
        kernel.load_path(path)(1, 1, cp.zeros(12, cp.int32), 0)


def test_a_missing_extern_c_is_said_before_the_compiler_runs(tmp_path):
    (tmp_path / "demo.cu").write_text(SOURCE.replace('extern "C" ', ""), encoding="utf-8")
    with pytest.raises(ValueError, match='demo_scale lacks extern "C"'):
        kernel.load_path(tmp_path / "demo.cu")


def test_observed_collects_reports(scale, a):
    out = cp.zeros_like(a)
    with kernel.observed() as reports:
        scale(2, 64, a, out, N, 1)
    assert [r.global_ld_requests for r in reports] == [4]  # 100 threads are 4 warps


RUN = """\
// demo/02_run: a kernel whose header says how to launch it.
//
// Launch:   %s
#ifndef PER
#define PER 4
#endif
extern "C" __global__ void run(const float* in, float* out, int n) {
    extern __shared__ float seen[];
    if (n == 77) seen[threadIdx.x] = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + gridDim.x;
}
"""


@pytest.mark.parametrize(
    "launch, blocks",
    [
        ("block (64), grid (ceil(n/(64*PER)))", 1),
        ("block (PER), grid (ceil(n/PER)): any other works as well", 34),
        ("block (32), grid (SMs)", cp.cuda.Device().attributes["MultiProcessorCount"]),
    ],
)
def test_run_launches_as_the_header_says(tmp_path, a, launch, blocks):
    path = tmp_path / "run.cu"
    path.write_text(RUN % launch, encoding="utf-8")
    out = cp.full(N, cp.nan, cp.float32)
    back = kernel.load_path(path, PER=3).run(a, out, N)
    assert back is out
    assert float((out - a)[0]) == pytest.approx(blocks, abs=1e-4)


def test_run_gives_dynamic_shared_memory(tmp_path, a):
    path = tmp_path / "run.cu"
    path.write_text(RUN % "block (32), grid (3), shared_bytes 4*(n - 45)", encoding="utf-8")
    kernel.load_path(path).run(a, cp.zeros_like(a), 77)
    path.write_text(RUN % "block (32), grid (3), shared_bytes 4*(n - 46)", encoding="utf-8")
    with pytest.raises(Finding, match="of which the block has 124"):
        kernel.load_path(path).run(a, cp.zeros_like(a), 77)


@pytest.mark.parametrize(
    "launch, why",
    [
        ("block (any), grid (1)", "the block: the header of run says '\\(any\\)'.*name 'any'"),
        ("block (32)", "the grid: the header of run says 'nothing'.*kernel\\(grid, block"),
    ],
)
def test_run_refuses_a_header_that_leaves_the_launch_open(tmp_path, a, launch, why):
    path = tmp_path / "run.cu"
    path.write_text(RUN % launch, encoding="utf-8")
    with pytest.raises(ValueError, match=why):
        kernel.load_path(path).run(a, a, N)


@pytest.mark.parametrize(
    "parameters, written",
    [
        ("const float* a, float* b, float const* __restrict__ c, int n", "b"),
        ("float* __restrict__ a, const int n, float b[]", "ab"),
        ("const float4* a, float* const b", "b"),
        ("const float a[], int n", ""),
    ],
)
def test_what_a_kernel_writes_is_what_is_not_const(tmp_path, parameters, written):
    path = tmp_path / "k.cu"
    path.write_text(f'extern "C" __global__ void k({parameters}) {{}}', encoding="utf-8")
    found = kernel.source.parse(path).parameters
    assert "".join(p.name for p in found if p.written) == written


@pytest.mark.parametrize("n, size, blocks", [(1, 256, 1), (256, 256, 1), (257, 256, 2), (0, 4, 0)])
def test_ceil_div(n, size, blocks):
    assert kernel.ceil_div(n, size) == blocks

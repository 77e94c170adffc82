"""The compiler, with no driver."""

import pytest

from warpemu import nvrtc, nvrtc_process

SOURCE = 'extern "C" __global__ void f(float* a)\n{\n    a[0] = %s;\n}\n'


def test_ptx_names_the_entry():
    assert ".visible .entry f(" in nvrtc.ptx(SOURCE % "1.0f")


def test_cubin_is_machine_code():
    assert nvrtc.cubin(SOURCE % "1.0f", arch="sm_80").startswith(b"\x7fELF")


def test_error_gives_the_files_own_line():
    with pytest.raises(nvrtc.CompileError, match=r"broken\.cu\(3\): error"):
        nvrtc.ptx(SOURCE % "nothing", "broken.cu")


def test_unknown_architecture_is_refused():
    with pytest.raises(nvrtc.CompileError):
        nvrtc.ptx(SOURCE % "1.0f", arch="compute_12345")


TEMPLATE = """\
#include "half.h"
template <int N> __global__ void scale(float* a) { a[0] = N * HALF; }
"""
HALF = {"half.h": "#define HALF 0.5f\n"}


def test_an_expression_chooses_an_instance_and_headers_are_texts():
    options = (nvrtc.STANDARD, "-arch=compute_90")
    given = HALF
    ptx, entry = nvrtc.compiled(TEMPLATE, "a.cu", options, "PTX", given, "scale<6>")
    assert f".entry {entry}(" in ptx.decode()
    assert str(0x40400000) in ptx.decode()  # 3.0f
    with pytest.raises(nvrtc.CompileError, match="a.cu.1.: .*half.h"):
        nvrtc.compiled(TEMPLATE, "a.cu", options, "PTX", {}, "scale<6>")


def test_everything_is_compiled_by_one_function(monkeypatch):
    calls = []
    monkeypatch.setattr(nvrtc, "compiled", lambda *given: calls.append(given) or (b"made\0", ""))
    nvrtc.ptx.cache_clear()
    text = SOURCE % "1.0f"
    assert (nvrtc.ptx(text), nvrtc.cubin(text)) == ("made", b"made\0")
    assert nvrtc.verbose(text) == "made"
    assert [given[3] for given in calls] == ["PTX", "CUBIN", "ProgramLog"]
    nvrtc.ptx.cache_clear()


@pytest.mark.parametrize("header", ["cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h"])
def test_header_is_found(header):
    assert nvrtc.ptx(f'#include <{header}>\nextern "C" __global__ void f() {{}}')


CRASHES = """\
template <int N> __global__ void fill(absent_t* y) { absent_t u[N][2]; put<absent_t, N, 2>(u, 0); }
template <typename T, int M, int N = 2>
__device__ void put(absent_t (&R)[M][N], absent_t value) { R[0][0] = value; }
template <const int N> __global__ void sum(int8_t* a, int32_t* y)
{
    __shared__ int32_t s[N];
    s[0] = a[0];
    y[0] = s[0];
}
"""


def test_a_compiler_that_crashes_takes_nothing_with_it():
    options = (nvrtc.STANDARD, "-arch=compute_90")
    with pytest.raises(nvrtc.CompileError) as refused:  # it crashes in NVRTC 12.9
        nvrtc.compiled(CRASHES, "a.cu", options, "PTX", {}, "sum<4>", apart=True)
    if isinstance(refused.value, nvrtc.CompilerCrash):
        assert "a.cu (signal 11)" in str(refused.value)
    asked = TEMPLATE, "b.cu", options, "PTX", HALF, "scale<6>"
    made = [nvrtc.compiled(*asked, apart=apart) for apart in (True, False)]
    assert made[0] == made[1]


def test_any_end_of_the_compilers_process_is_told(monkeypatch, tmp_path):
    nvrtc_process._end()
    (tmp_path / "dies.py").write_text("import sys; sys.exit(7)", encoding="utf-8")
    monkeypatch.setattr(nvrtc_process, "__file__", str(tmp_path / "dies.py"))
    with pytest.raises(nvrtc.CompilerCrash, match=r"crashes on c\.cu \(exit status 7\)"):
        nvrtc.compiled("", "c.cu", (nvrtc.STANDARD,), "PTX", {}, "", apart=True)


def test_headers_of_wheels_and_of_a_toolkit_do_not_mix(monkeypatch, tmp_path):
    wheels, toolkit = tmp_path / "nvidia", tmp_path / "cuda-13.0"
    of_wheel, of_toolkit = wheels / "cuda_runtime" / "include", toolkit / "include"
    in_target = toolkit / "targets" / "x86_64-linux" / "include" / "cccl"
    for folder in (of_wheel, of_toolkit, in_target):
        folder.mkdir(parents=True)

    def found(**folders):
        finder = type("Finder", (), {"find_nvidia_header_directory": staticmethod(folders.get)})
        monkeypatch.setattr(nvrtc, "pathfinder", finder)
        return [option.removeprefix("-I") for option in nvrtc.headers.__wrapped__()]

    assert found(cudart=str(of_wheel), cccl=str(in_target)) == [str(of_wheel)]
    both = [str(of_toolkit), str(in_target)]
    assert found(cudart=both[0], cccl=both[1]) == both
    assert found() == []

"""The compiler, with no driver."""

import pytest

from warpemu import nvrtc

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


def test_an_expression_chooses_an_instance_and_headers_are_texts():
    options = (nvrtc.STANDARD, "-arch=compute_90")
    given = {"half.h": "#define HALF 0.5f\n"}
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

"""The compiler, with no driver."""

import pytest

from warpbook.launch import nvrtc

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


@pytest.mark.parametrize("header", ["cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h"])
def test_header_is_found(header):
    assert nvrtc.ptx(f'#include <{header}>\nextern "C" __global__ void f() {{}}')

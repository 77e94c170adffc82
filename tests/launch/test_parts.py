"""A topic's header, parts.cuh: found, compiled, and named with its own lines everywhere."""

import numpy as np
import pytest

from warpbook import Finding, sass, show, trace, trace_file
from warpbook.gpu.occupancy import ptxas
from warpbook.launch import kernel, source
from warpbook.launch.backend import cp
from warpbook.launch.lines import launch_line
from warpemu.nvrtc import CompileError

PARTS = """\
// toy/parts: what is shared.
__device__ __noinline__ float loaded(const float* from, int i)
{
    return from[i];
}

__device__ __forceinline__ void stored(float* to, int i, float value)
{
    to[i] = value;
}
"""
TEXT = """\
// toy/01_twice: twice each element.
//
// Launch:   block (32), grid (1)
#ifndef FAR
#define FAR 0
#endif
#include "parts.cuh"   // loaded, stored

extern "C" __global__
void toy_twice(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const int i = threadIdx.x;
    if (i < n) {
        const float value = loaded(in, i);
        stored(out, i + FAR, 2 * value);
    }
}
"""
LOAD, STORE = 17, 18


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A folder kernels/ with one topic, which is the book's."""
    folder = tmp_path / "kernels"
    (folder / "toy" / "exercises" / "solutions").mkdir(parents=True)
    (folder / "toy" / "parts.cuh").write_text(PARTS, encoding="utf-8")
    (folder / "toy" / "01_twice.cu").write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(source, "KERNELS", folder)
    return folder


def doubles(loaded):
    a, out = cp.arange(20, dtype=cp.float32), cp.full(20, cp.nan, cp.float32)
    loaded.run(a, out, 20)
    return np.array_equal(cp.asnumpy(out), 2 * cp.asnumpy(a))


def test_a_kernel_with_its_topics_header_runs(kernels):
    assert doubles(kernel.load("toy/01_twice"))
    assert kernel.load("toy/01_twice").source.text == TEXT
    assert launch_line("toy/01_twice n=20").emulate(trace=True).global_ld_requests == 1


@pytest.mark.parametrize(
    "place", ["kernels/toy/exercises", "kernels/toy/exercises/solutions", "work/toy"]
)
def test_an_exercise_and_a_working_copy_have_their_topics_header(kernels, tmp_path, place):
    path = tmp_path / place / "twice.cu"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT, encoding="utf-8")
    assert doubles(kernel.load_path(path))
    assert trace_file(path, 1, 32, {"in": "rand:8", "out": "nan:8", "n": "8"}).clean


def test_a_file_elsewhere_has_the_header_of_the_topic_that_is_named(kernels, tmp_path):
    path = tmp_path / "sent in.cu"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(CompileError, match=r"sent in.cu\(7\).*parts.cuh"):
        kernel.load_path(path)
    parsed = source.parse(path, kernels / "toy")
    assert doubles(kernel.Kernel(parsed, "sent in", {}))


def test_the_header_beside_a_file_comes_first(kernels, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "parts.cuh").write_text("int mine;\n", encoding="utf-8")
    path = tmp_path / "toy" / "01_twice.cu"
    path.write_text(TEXT, encoding="utf-8")
    assert source.parse(path).parts == "int mine;\n"
    assert source.parse(path, kernels / "toy").parts == PARTS


def test_a_file_without_the_include_is_compiled_as_it_stands(kernels):
    path = kernels / "toy" / "01_twice.cu"
    for text in (TEXT.replace('#include "parts.cuh"', ""), TEXT.replace("#inc", "// #inc")):
        path.write_text(text, encoding="utf-8")
        parsed = source.parse(path)
        assert parsed.unit == parsed.text == text and parsed.parts == ""


@pytest.mark.parametrize("place, line", [("parts.cuh", 4), ("01_twice.cu", LOAD)])
def test_an_error_names_the_file_and_its_line(kernels, place, line):
    path = kernels / "toy" / place
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[line - 1] = "    nonsense;\n"
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(CompileError, match=rf"(?m)^{place}\({line}\): error"):
        kernel.load("toy/01_twice")


def test_a_name_with_quotes_is_no_directive(kernels):
    path = kernels / "toy" / 'a "name" of\\n its own.cu'
    path.write_text(TEXT.replace("in[", "on["), encoding="utf-8")
    assert doubles(kernel.load_path(path))


# What counts and findings name: the line of the kernel that called the header's function, as with
# a function of its own.


def test_a_trace_counts_at_the_lines_of_the_kernel(kernels):
    a = cp.zeros(20, cp.float32)
    seen = trace(kernel.load("toy/01_twice"), 1, 32, a, cp.zeros_like(a), 20)
    asked = {n: c for n, c in seen.report.lines.items() if c.global_ld_requests}
    written = {n: c for n, c in seen.report.lines.items() if c.global_st_requests}
    assert (list(asked), list(written)) == ([LOAD], [STORE])
    assert f"line  {LOAD}: ld" in repr(seen) and "stored(out" in seen._repr_html_()


@pytest.mark.parametrize("n, far, line", [(21, 0, LOAD), (20, 1, STORE)])
def test_a_finding_in_the_header_names_the_kernels_line(kernels, n, far, line):
    a = cp.zeros(20, cp.float32)
    loaded = kernel.load("toy/01_twice", FAR=far)
    with pytest.raises(Finding, match=f"line {line} of 01_twice.cu") as found:
        trace(loaded, 1, 32, a, cp.zeros_like(a), n)
    assert found.value.line == line
    traced = trace_file(
        kernels / "toy" / "01_twice.cu", 1, 32, {"in": a, "out": a, "n": n}, defines={"FAR": far}
    )
    assert [found.line for found in traced.findings][0] == line


# Every way to a compiler ----------------------------------------------------------------------


def test_machine_code_and_what_ptxas_says_are_of_both_files(kernels):
    loaded = kernel.load("toy/01_twice")
    assert "registers" in ptxas(loaded)
    code = sass(loaded)
    assert code.missing or code.count("STG") >= 1


def test_a_gpus_compiler_gets_one_text_and_a_changed_header_is_another(kernels, monkeypatch):
    """CuPy keeps what it has compiled by the text alone: an #include would hide a change."""
    texts = []

    class Raw:
        def __init__(self, text, name, options):
            texts.append((text, options))

        def compile(self):
            pass

    monkeypatch.setattr(cp, "RawKernel", Raw)
    monkeypatch.setattr(kernel, "_in_emulator", kernel._on_gpu)
    kernel.load("toy/01_twice")
    header = kernels / "toy" / "parts.cuh"
    header.write_text(PARTS.replace("to[i]", "to[i + 0]"), encoding="utf-8")
    kernel.load("toy/01_twice")
    (first, options), (second, _) = texts
    assert "#include" not in first and PARTS in first and first != second
    assert not any("arch" in option for option in options)


@pytest.mark.parametrize("variant, one", [("03_mma", False), ("08_wgmma", True)])
def test_a_header_with_wgmma_binds_only_the_kernels_that_assume_it(monkeypatch, variant, one):
    seen = []

    class Raw:
        def __init__(self, text, name, options):
            seen.extend(options)

        def compile(self):
            pass

    monkeypatch.setattr(cp, "RawKernel", Raw)
    monkeypatch.setattr(kernel, "_in_emulator", kernel._on_gpu)
    kernel.load(f"flash_attention/{variant}")
    assert ("-arch=sm_90a" in seen) == one


def test_a_header_is_shown(kernels):
    shown = show("toy/parts.cuh")
    assert "loaded(" in repr(shown) and "kernels/toy/parts.cuh" in shown.html
    with pytest.raises(LookupError, match="no kernel 'other/parts.cuh'"):
        show("other/parts.cuh")
    with pytest.raises(ValueError, match="exactly one __global__"):
        kernel.load("toy/parts.cuh")

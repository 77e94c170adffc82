"""The set-up that make runs before every command."""

import ast
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import threading

import pytest
from helpers import ROOT, module


def script(folder, monkeypatch):
    """The set-up script of a checkout; what it would run is kept in ``commands`` and not run."""
    setup = module(folder / "tools" / "setup.py")
    setup.folder, setup.commands = folder, []

    def run(command):
        setup.commands.append(command)
        if command[1:3] == ["-m", "venv"]:
            python = folder / ".venv" / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.write_text("#!/bin/sh\n", encoding="utf-8")
            python.chmod(0o755)

    monkeypatch.setattr(setup, "run", run)
    monkeypatch.setattr(setup, "gpu", lambda: False)
    return setup


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """The set-up script of a checkout without .venv; nothing is installed."""
    folder = tmp_path / "a checkout"
    for name in ("requirements.txt", "pyproject.toml", "tools/setup.py"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, folder / name)
    return script(folder, monkeypatch)


def made(setup):
    """How many fresh environments were made, and how often uv was asked for packages."""
    fresh = [c for c in setup.commands if c[1:3] == ["-m", "venv"]]
    asked = [c for c in setup.commands if c[0] == setup.UV and "numpy>=2.0" in c]
    return len(fresh), len(asked)


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def stopped(call, *args):
    with pytest.raises(SystemExit) as stop:
        call(*args)
    return str(stop.value)


def test_setup_installs_once(clone):
    clone.main()
    assert made(clone) == (1, 1) and clone.commands[-1][-2:] == ["-e", "."]
    clone.main()
    assert made(clone) == (1, 1)


def test_uv_itself_is_locked(clone):
    clone.main()
    (bootstrap,) = [c for c in clone.commands if c[1:3] == ["-m", "pip"]]
    assert bootstrap[-3:] == ["-c", "requirements.txt", "uv"]
    assert re.search(r"^uv==", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)


def test_a_new_lock_or_dependency_is_installed_into_the_same_environment(clone):
    clone.main()
    edit(clone.folder / "requirements.txt", "numpy==", "numpy>=")
    clone.main()
    assert made(clone) == (1, 2)
    edit(clone.folder / "pyproject.toml", '"matplotlib>=3.8"', '"matplotlib>=3.9"')
    clone.main()
    assert made(clone) == (1, 3) and "matplotlib>=3.9" in clone.commands[-2]


def test_settings_of_tools_install_nothing(clone):
    clone.main()
    edit(clone.folder / "pyproject.toml", "line-length = 100", "line-length = 99  # less")
    clone.main()
    assert made(clone) == (1, 1)


def test_setup_installs_cublas_where_a_driver_is(clone, monkeypatch):
    clone.main()
    assert not [need for need in clone.commands[-2] if need.startswith("nvidia-cublas")]
    monkeypatch.setattr(clone, "gpu", lambda: True)
    clone.main()
    assert [need for need in clone.commands[-2] if need.startswith("nvidia-cublas")]
    assert made(clone) == (1, 2)


@pytest.mark.parametrize("update", [False, True])
def test_setup_starts_afresh_after_an_interruption(clone, monkeypatch, update):
    """Also an update may have left a package half written."""
    if update:
        clone.main()
        edit(clone.folder / "requirements.txt", "numpy==", "numpy>=")
    fresh, run = made(clone)[0], clone.run

    def interrupted(command):
        run(command)
        if command[0] == clone.UV:
            (clone.folder / ".venv" / "half").touch()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(clone, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            clone.main()
    clone.main()
    assert not (clone.folder / ".venv" / "half").exists()
    assert made(clone)[0] == fresh + (1 if update else 2)


def test_setup_mends_an_environment_whose_python_is_gone(clone):
    clone.main()
    (clone.folder / ".venv" / "bin" / "python").unlink()
    clone.main()
    assert made(clone) == (2, 2)


def test_setup_mends_an_environment_that_its_python_does_not_see(clone):
    """As when the system's Python has been replaced by a newer one."""
    clone.main()
    edit(clone.folder / ".venv" / "bin" / "python", "#!/bin/sh\n", "#!/bin/sh\nexit 1\n")
    clone.main()
    assert made(clone) == (2, 2)


def test_a_moved_checkout_gets_a_fresh_environment(clone, tmp_path, monkeypatch):
    clone.main()
    moved = script(clone.folder.rename(tmp_path / "moved"), monkeypatch)
    moved.main()
    assert made(moved) == (1, 1)


def test_two_setups_at_once_make_one(clone):
    began, waits, on = threading.Event(), threading.Event(), threading.Event()
    run = clone.run

    def slow(command):
        began.set()
        on.wait(60)
        run(command)

    def heard(sentence, flush):
        if sentence.startswith("Another set-up of this checkout is running"):
            waits.set()

    clone.run, clone.print = slow, heard
    first, second = (threading.Thread(target=clone.main) for _ in range(2))
    first.start()
    assert began.wait(60)
    second.start()
    assert waits.wait(60)
    on.set()
    first.join()
    second.join()
    assert made(clone) == (1, 1)


def test_a_second_user_takes_what_the_owner_set_up(clone, monkeypatch):
    clone.main()
    monkeypatch.setattr(clone, "ours", lambda: False)
    monkeypatch.setattr(clone.sys, "version_info", (3, 12, 9))
    clone.main()
    assert made(clone) == (1, 1)


def test_a_second_user_of_a_stale_environment_gets_a_sentence(clone, monkeypatch):
    clone.main()
    edit(clone.folder / "requirements.txt", "numpy==", "numpy>=")
    monkeypatch.setattr(clone, "ours", lambda: False)
    said = stopped(clone.main)
    assert "Its owner can run 'make ready'" in said and f"cp -r {clone.folder} ~/" in said
    assert made(clone) == (1, 1)


def test_who_may_not_write_is_no_owner(clone, monkeypatch):
    assert clone.ours()
    monkeypatch.setattr(clone.os, "access", lambda path, mode: path != str(clone.folder))
    assert not clone.ours()


def test_setup_says_what_is_missing(clone, monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert "sudo apt install python3-venv" in stopped(clone.main)
    monkeypatch.setattr(clone.sys, "version_info", (3, 9, 0))
    assert "Python 3.11 or newer" in stopped(clone.main)
    assert clone.commands == []


def test_a_failure_ends_with_what_it_needs(clone):
    """Here no environment can be made; without a network, pip or uv ends in the same way."""
    edit(clone.folder / "tools" / "setup.py", '"-m", "venv", VENV', '"-m", "venv", "--nonsense"')
    done = subprocess.run(
        [sys.executable, clone.folder / "tools" / "setup.py"], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "It needs the network" in done.stderr and "run the same command again" in done.stderr


def test_setup_parses_on_an_old_python():
    """No syntax newer than Python 3.6, so that an old one gets the sentence and not an error."""
    text = (ROOT / "tools" / "setup.py").read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 6))
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n    case 1: pass\n", feature_version=(3, 6))


def test_what_is_wanted_names_the_place_and_the_python(clone):
    want = clone.wanted(["book"])
    version = platform.python_version()
    assert want[1:] == [str(clone.folder), sysconfig.get_platform(), version]
    assert want == clone.wanted(["book"]) and want[0] != clone.wanted(["book", "gpu"])[0]


# make book, make lab


@pytest.fixture
def make(tmp_path):
    """`make` in a folder with an empty set-up, and programs that say what they would run."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    scripts = {
        "tools/setup.py": "",
        ".venv/bin/python": '#!/bin/sh\necho "python $@"\n',
        ".venv/bin/jupyter-book": '#!/bin/sh\necho "jupyter-book $@"\n',
        "bin/id": '#!/bin/sh\necho "$USER_ID"\n',
    }
    for name, text in scripts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)

    def run(user, *words):
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # Under `make test` its own flags and variables would reach this make, too.
        clean = {
            k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "ARGS"))
        }
        return subprocess.run(
            ["make", *words],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            env=clean | {"PATH": path, "USER_ID": str(user), "HOME": "/home of/ana"},
        )

    return run


def test_lab_as_root_says_how_to_go_on(make):
    done = make(0, "lab")
    assert done.returncode and "tools/lab.py" not in done.stdout
    assert "make lab ARGS='--allow-root --ip=0.0.0.0'" in done.stdout


def test_lab_goes_on_with_args(make):
    done = make(0, "lab", "ARGS=--allow-root --ip=0.0.0.0")
    assert done.returncode == 0
    assert done.stdout == "python tools/lab.py --allow-root --ip=0.0.0.0\n"


def test_lab_starts_for_anyone_else(make):
    assert make(1000, "lab").stdout == "python tools/lab.py\n"
    assert make(1000, "lab", "ARGS=--no-browser").stdout == "python tools/lab.py --no-browser\n"


def test_pages_lie_in_the_checkout_or_with_who_may_not_write_there(make, tmp_path):
    assert "--path-output /home of/ana/warpbook-work --all" in make(1000, "book").stdout
    (tmp_path / "book").mkdir()
    assert "--path-output book --all" in make(1000, "book").stdout

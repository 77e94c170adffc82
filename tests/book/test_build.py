"""The set-up, the lock, the wheel, and the book's builder: what a fresh clone relies on."""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import PAGES, ROOT, build, project

from warpbook.launch import source

ADDRESS = "https://github.com/someone/somewhere"
CHAPTERS = [p for p in PAGES if re.match(r"\d\d_", p)]
PINNED = re.compile(r"^([\w.-]+)==(\S+)", re.M)


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text):
    return {plain(name): version for name, version in PINNED.findall(text)}


def direct():
    """What pyproject.toml asks for on a machine with no GPU."""
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = package["optional-dependencies"]
    return package["dependencies"] + extras["book"] + extras["test"]


def wanted(lines, extras=("",), seen=None):
    """Every distribution that these requirements need here, with the version installed."""
    from packaging.requirements import Requirement

    seen = {} if seen is None else seen
    for need in map(Requirement, lines):
        here = not need.marker or any(need.marker.evaluate({"extra": e}) for e in extras)
        if here and plain(need.name) not in seen:
            seen[plain(need.name)] = metadata.version(need.name)
            wanted(metadata.requires(need.name) or (), need.extras or ("",), seen)
    return seen


def buttons(site, pages):
    """The addresses of Colab, repository and issues to which the built pages lead."""
    text = "".join((site / f"{page}.html").read_text() for page in pages)
    return set(re.findall(r'href="(https?://(?:colab|github)[^"]+)"', text))


# The book's builder.


def test_the_book_builds_without_a_warning(site):
    assert all((site / f"{page}.html").is_file() for page in PAGES)


def test_without_an_address_no_button_leads_anywhere(site):
    config = (ROOT / "_config.yml").read_text()
    if 'url: ""' not in config:
        pytest.skip("_config.yml has an address: the buttons lead there")
    linked = buttons(site, CHAPTERS)
    assert not [a for a in linked if "colab" in a or a.endswith("/issues")], linked
    assert "issues-button" not in "".join((site / f"{p}.html").read_text() for p in PAGES)


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """(what the builder said, the built HTML) of a book with an address and one link to nothing."""
    folder = tmp_path_factory.mktemp("changed")
    copy = project(folder)
    config = (copy / "_config.yml").read_text()
    (copy / "_config.yml").write_text(re.sub(r'url: ".*"', f'url: "{ADDRESS}"', config))
    with open(copy / "book" / "index.md", "a") as page:
        page.write("\n{doc}`99_none`\n")
    return build(copy, folder / "out"), folder / "out" / "_build" / "html"


def test_with_an_address_every_chapter_opens_in_colab(changed):
    _, built = changed
    for chapter in CHAPTERS:
        links = buttons(built, [chapter])
        assert (f"https://colab.research.google.com/github/someone/somewhere/blob/main/book/"
                f"{chapter}.ipynb") in links
        assert ADDRESS in links
        assert (ROOT / "book" / f"{chapter}.ipynb").is_file()


def test_a_warning_fails_the_build(changed):
    """The planted link is all that the builder warns of, and enough for it to fail."""
    done, _ = changed
    warnings = re.findall(r"^.*WARNING: .*$", done.stdout + done.stderr, re.M)
    assert done.returncode and len(warnings) == 1 and "99_none" in warnings[0], warnings


def extension(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "book" / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_results_page_puts_gpus_side_by_side(tmp_path):
    head = "gpu,chapter,kernel,size,ms,p20_ms,p80_ms,gb_per_s,gflop_per_s,bound_ms,driver,cuda,date\n"
    row = "{0},05_coalescing,{1},64,{2},1,1,{3},,{4},1.2,12.9,2026-01-31\n"
    (tmp_path / "a.csv").write_text(head + row.format("A", "slow", 2, 1000, 1)
                                    + row.format("A", "fast", 1, 2000, 1))
    (tmp_path / "b.csv").write_text(head + row.format("B", "slow", 4, 500, 1))
    (tmp_path / "counters_a.csv").write_text("gpu,kernel\nA,slow\n")  # the profiler's, not a time
    gpus = extension("gpus")
    text = gpus.markdown(gpus.read(tmp_path), {"05_coalescing"})
    assert "| Run | Kernel | A | B |" in text
    assert "| 64 | slow | 2 ms, 1,000 GB/s, 50% of bound | 4 ms, 500 GB/s, 25% of bound |" in text
    assert "| 64 | fast | 1 ms, 2,000 GB/s, 100% of bound |  |" in text
    assert "## Chapter 5: coalescing" in text and "{doc}`05_coalescing`" in text
    assert gpus.read(tmp_path / "none") is None and "No GPU" in gpus.markdown(None)


# The lock and the wheel.


def test_the_lock_pins_everything_that_is_needed():
    lock = pins((ROOT / "requirements.txt").read_text())
    needed = wanted(direct())
    assert len(needed) > 100
    assert {n: v for n, v in needed.items() if lock.get(n) != v} == {}


def test_the_lock_holds_what_a_gpu_needs_and_no_address():
    text = (ROOT / "requirements.txt").read_text()
    assert {"cupy-cuda12x", "nvidia-cublas-cu12", "nvidia-curand-cu12"} <= pins(text).keys()
    assert not re.search(r"https?://|--(extra-)?index|find-links|file://|^/", text, re.M)


def test_a_lock_with_a_gap_is_found():
    assert pins("a.b==1\n    # via c==2\nd_e==3 ; x\n") == {"a-b": "1", "d-e": "3"}


def test_colab_never_gets_a_second_cupy():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not [d for d in package["dependencies"] if "cupy" in d]


def test_the_wheel_finds_its_kernels(tmp_path):
    """Built and unpacked elsewhere, the package loads kernels and exercises."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
                    "--no-index", "-q", "-w", tmp_path, ROOT], check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        wheel.extractall(tmp_path / "site")
    kernels = sorted(p.relative_to(source.KERNELS).as_posix() for p in source.KERNELS.rglob("*.cu"))
    assert [n for n in kernels if f"warpbook/_kernels/{n}" not in names] == []
    assert not [n for n in names if n.startswith(("tests/", "book/", "kernels/"))]
    code = "from warpbook import load, source; print(load('vector_add/03_grid').name, source.KERNELS)"
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "site", text=True,
                          capture_output=True, check=True).stdout
    assert "_kernels" in said


# The set-up that make runs.


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """The set-up script, at work in an empty folder; `pip` records its calls instead of installing."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    spec = importlib.util.spec_from_file_location("setup_venv", tmp_path / ".ci" / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.calls = []
    monkeypatch.setattr(module, "pip", lambda *args: module.calls.append(args))
    monkeypatch.setattr(module, "gpu", lambda: False)
    monkeypatch.setattr(venv, "create", create)
    return module


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


@pytest.mark.parametrize("log, word", [
    ("ERROR: [Errno 28] No space left on device", "disk is full"),
    ("NewConnectionError: Temporary failure in name resolution", "network"),
    ("ERROR: No matching distribution found for x==1", "requirements.txt"),
])
def test_setup_explains_what_pip_says(clone, log, word):
    said = stopped(clone.explain, log)
    assert word in said and log in said


def test_setup_parses_on_an_old_python():
    """No syntax newer than Python 3.4, so that an old one gets the sentence and not an error."""
    import ast

    text = (ROOT / ".ci" / "setup.py").read_text()
    ast.parse(text, feature_version=(3, 4))
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n    case 1: pass\n", feature_version=(3, 4))


def test_the_key_follows_the_lock(clone, tmp_path):
    before = clone.key("book")
    assert before == clone.key("book") != clone.key("book,gpu")
    assert len(before) == hashlib.sha256().digest_size * 2

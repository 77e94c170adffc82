"""What an installation relies on: the lock has everything, and the wheel has its kernels."""

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata

from helpers import ROOT

from warpbook import results
from warpbook.launch import source

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


def test_the_wheel_holds_kernels_and_results_and_nothing_else(installed):
    files = [p.relative_to(installed).as_posix() for p in installed.rglob("*") if p.is_file()]
    kernels = [p.relative_to(source.KERNELS).as_posix() for p in source.KERNELS.rglob("*.cu")]
    assert sorted(set(f"warpbook/_kernels/{name}" for name in kernels) - set(files)) == []
    tables = [p.relative_to(results.FOLDER).as_posix() for p in results.FOLDER.rglob("*.csv")]
    assert sorted(set(f"warpbook/book/results/{name}" for name in tables) - set(files)) == []
    assert {name.split("/")[0].split("-")[0] for name in files} == {"warpbook"}


def test_an_installed_package_finds_its_kernels_and_results(installed, tmp_path):
    code = (
        "from warpbook import committed_counters, load; from warpbook.launch import source;"
        "load('vector_add/03_grid'); committed_counters('coalescing'); print(source.KERNELS)"
    )
    environment = os.environ | {"PYTHONPATH": str(installed), "WARPBOOK_EMULATE": "1"}
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, text=True,
                          capture_output=True, check=True, env=environment).stdout  # fmt: skip
    assert said.strip() == str(installed / "warpbook" / "_kernels")

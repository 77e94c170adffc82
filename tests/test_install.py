"""What an installation relies on: the lock has everything, and the wheel has its kernels."""

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from helpers import ROOT, module
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from warpbook import results
from warpbook.launch import source
from warpemu import nvrtc

PINNED = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.*))?$", re.M)
LOCK = ROOT / "requirements.txt"


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text, python=None):
    """The versions that a lock gives to this machine, to its Python or to another version of it."""
    where = {"python_full_version": python, "python_version": python} if python else None
    found = PINNED.findall(text)
    return {plain(n): v for n, v, marker in found if not marker or Marker(marker).evaluate(where)}


def package():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def promised():
    """Versions of Python from the first that the package promises to the newest one it names."""
    minors = [
        c.removeprefix("Programming Language :: Python :: ") for c in package()["classifiers"]
    ]
    assert package()["requires-python"] == f">={minors[0]}"
    return [f"{minor}.{patch}" for minor in minors for patch in range(20)]


def unmet(text, needs_python):
    """The pins of a lock that cannot be installed on a Python that is promised.

    needs_python: by distribution and version, the Python that it asks for, such as '>=3.11.5'.
    """
    found = {}
    for python in promised():
        for pin in pins(text, python).items():
            if python not in SpecifierSet(needs_python.get(pin, "")):
                found.setdefault("==".join(pin), python)
    return found


def direct():
    """What pyproject.toml asks for on a machine with no GPU."""
    extras = package()["optional-dependencies"]
    return package()["dependencies"] + extras["book"] + extras["test"]


def wanted(lines, extras=("",), seen=None):
    """Every distribution that these requirements need here, with the version installed."""
    seen = {} if seen is None else seen
    for need in map(Requirement, lines):
        here = not need.marker or any(need.marker.evaluate({"extra": e}) for e in extras)
        if here and plain(need.name) not in seen:
            seen[plain(need.name)] = metadata.version(need.name)
            wanted(metadata.requires(need.name) or (), need.extras or ("",), seen)
    return seen


def test_the_lock_pins_everything_that_is_needed():
    lock = pins(LOCK.read_text(encoding="utf-8"))
    needed = wanted(direct())
    assert len(needed) > 100
    assert {n: v for n, v in needed.items() if lock.get(n) != v} == {}


def test_the_lock_holds_what_a_gpu_needs_and_no_address():
    text = LOCK.read_text(encoding="utf-8")
    assert {"cupy-cuda12x", "nvidia-cublas-cu12", "nvidia-curand-cu12"} <= pins(text).keys()
    assert not re.search(r"https?://|--(extra-)?index|find-links|file://|^/", text, re.M)


def test_a_lock_is_read_for_a_machine():
    text = "a.b==1\n    # via c==2\nd_e==3 ; os_name == 'none'\nf==4 ; python_version < '3.12'\n"
    assert pins(text, "3.12") == {"a-b": "1"}
    assert pins(text, "3.11") == {"a-b": "1", "f": "4"}


def test_every_promised_python_can_install_the_lock():
    """Of what is installed here; the tool that writes the lock sees to the rest."""
    asked = {
        (plain(d.name), d.version): d.metadata["Requires-Python"] or ""
        for d in metadata.distributions()
    }
    assert unmet(LOCK.read_text(encoding="utf-8"), asked) == {}


def test_a_pin_that_an_old_python_cannot_install_is_found():
    asked = {("new", "2"): ">=3.11.5", ("old", "1"): "<3.14"}
    assert unmet("new==2\nold==1\n", asked) == {"new==2": "3.11.0", "old==1": "3.14.0"}
    by_version = "new==1 ; python_full_version < '3.11.5'\nnew==2 ; python_full_version >= '3.11.5'"
    assert unmet(by_version, asked) == {}


def test_the_lock_begins_with_what_is_asked_for():
    """So it was compiled after the last change of a dependency: tools/lock.py does it again."""
    lock = module(ROOT / "tools" / "lock.py")
    text = LOCK.read_text(encoding="utf-8")
    assert text.startswith(lock.head()), ".venv/bin/python tools/lock.py writes it again"
    named = {plain(Requirement(need).name) for need in direct()}
    assert named <= set(re.findall(r"[\w-]+", lock.head()))


def test_no_wheel_of_nvidias_is_locked_for_a_mac():
    there = {name: marker for name, _, marker in PINNED.findall(LOCK.read_text(encoding="utf-8"))}
    linux = {"sys_platform": "linux", "platform_machine": "x86_64"}
    nvidias = {n: Marker(m) for n, m in there.items() if re.match("nvidia-|cupy-|triton", n)}
    assert len(nvidias) >= 9 and all(m.evaluate(linux) for m in nvidias.values())
    assert not any(m.evaluate({"sys_platform": "darwin"}) for m in nvidias.values())


def test_the_wheels_alone_have_all_headers():
    """Without a CUDA toolkit, also WMMA: mma.h lies in the runtime's wheel, crt/mma.h in nvcc's."""
    site = Path(metadata.distribution("nvidia-cuda-nvrtc-cu12").locate_file(""))
    assert [path for path in nvrtc.headers() if not path.startswith(f"-I{site}")] == []
    kernel = ROOT / "kernels" / "tensor_cores" / "02_wmma.cu"
    assert nvrtc.cubin(kernel.read_text(encoding="utf-8"), kernel.name, arch="sm_90")


def test_the_grading_image_has_what_the_package_is_made_of():
    """As far as it can be told without building the image."""
    text = (ROOT / "tools" / "grading.Dockerfile").read_text(encoding="utf-8")
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", text, re.M) for name in line.split()}
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    assert set(tables["build"]["targets"]["wheel"]["only-include"]) <= copied


def test_colab_never_gets_a_second_cupy():
    assert not [d for d in package()["dependencies"] if "cupy" in d]


def test_the_wheel_holds_kernels_and_results_and_nothing_else(installed):
    files = [p.relative_to(installed).as_posix() for p in installed.rglob("*") if p.is_file()]
    kernels = [p.relative_to(source.KERNELS).as_posix() for p in source.KERNELS.rglob("*.cu*")]
    assert sorted(set(f"warpbook/_kernels/{name}" for name in kernels) - set(files)) == []
    tables = [p.relative_to(results.FOLDER).as_posix() for p in results.FOLDER.rglob("*.csv")]
    assert sorted(set(f"warpbook/book/results/{name}" for name in tables) - set(files)) == []
    assert {name.split("/")[0].split("-")[0] for name in files} == {"warpbook", "warpemu"}


def test_an_installed_package_finds_its_kernels_and_results(installed, tmp_path):
    code = (
        "from warpbook import committed_counters, load; from warpbook.launch import source;"
        "load('vector_add/03_grid'); committed_counters('coalescing'); print(source.KERNELS)"
    )
    environment = os.environ | {"PYTHONPATH": str(installed), "WARPBOOK_EMULATE": "1"}
    said = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        encoding="utf-8",
        capture_output=True,
        check=True,
        env=environment,
    ).stdout
    assert said.strip() == str(installed / "warpbook" / "_kernels")

"""The emulator's own wheel: what it holds, what it asks for, and the README's first run in it."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

EMULATOR = Path(__file__).resolve().parents[1]
FIRST = re.compile(
    r"```cuda\n(?P<cu>.*?)```\s*```python\n(?P<py>.*?)```\s*```\n(?P<out>.*?)```", re.S
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A folder with the wheel's files, and nothing else of this repository."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "-q", "-w", folder, EMULATOR], check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("warpemu-*.whl"))) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


def test_it_holds_the_package_alone(wheel):
    ours = {p.relative_to(EMULATOR) for p in (EMULATOR / "warpemu").rglob("*.py")}
    held = {p.relative_to(wheel) for p in wheel.rglob("*.py")}
    assert held == ours


def test_it_asks_for_numpy_and_the_compiler(wheel):
    (metadata,) = wheel.glob("*.dist-info/METADATA")
    lines = re.findall(r"^Requires-Dist: ([\w-]+)(.*)$", metadata.read_text(encoding="utf-8"), re.M)
    asked = [name for name, more in lines if "extra ==" not in more]
    assert sorted(asked) == ["cuda-pathfinder", "numpy", "nvidia-cuda-nvrtc-cu12"]


def test_pytest_finds_the_plugin(wheel):
    (entries,) = wheel.glob("*.dist-info/entry_points.txt")
    assert "[pytest11]\nwarpemu = warpemu.pytest_plugin" in entries.read_text(encoding="utf-8")


def test_the_first_run_of_the_readme(wheel, tmp_path):
    first = FIRST.search((EMULATOR / "README.md").read_text(encoding="utf-8"))
    (tmp_path / "scale.cu").write_text(first["cu"], encoding="utf-8")
    code = first["py"] + f"\nassert warpemu.__file__.startswith({str(wheel)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        encoding="utf-8",
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(wheel)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == first["out"]

"""The doctor: a line for everything, a remedy for what is missing, never a traceback."""

import os
import shutil
import subprocess
import sys

import pytest

from warpbook.gpu import doctor
from warpbook.gpu.doctor import PROBES, Line

NAMES = {probe[0] for probe in PROBES}


def test_every_line_has_a_remedy():
    assert all(remedy for *_, remedy in PROBES)
    assert {
        "Python",
        "NVRTC",
        "emulator",
        "GPU",
        "driver",
        "CuPy",
        "CUDA runtime",
        "cuda_fp16.h",
        "mma.h",
        "cuBLAS",
        "ncu",
        "Chromium",
    } <= NAMES


def test_a_missing_thing_comes_with_what_to_do():
    assert str(Line("ncu", False, "no ncu on the PATH", "install it")).splitlines() == [
        "missing  ncu              no ncu on the PATH",
        "                          to have it: install it",
    ]
    assert "needed: install it" in str(Line("NVRTC", False, "none", "install it", needed=True))
    assert str(Line("CuPy", True, "14.2", "install it")) == "ok       CuPy             14.2"


@pytest.mark.parametrize("needed, status", [(True, 1), (False, 0)])
def test_it_exits_0_unless_something_needed_is_missing(monkeypatch, capsys, needed, status):
    def broken():
        raise OSError("libnothing.so: cannot open\nand more")

    monkeypatch.setattr(doctor, "PROBES", (("thing", needed, broken, "install the thing"),))
    assert doctor.doctor() == status
    told = capsys.readouterr().out
    assert "libnothing.so: cannot open" in told and "and more" not in told
    assert "install the thing" in told
    assert ("cannot run here yet: see thing" in told) == needed


def examined(hidden):
    """Run the doctor in a process in which some modules cannot be imported."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({hidden!r})); sys.argv[1:] = ['doctor'];"
        "from warpbook.__main__ import main; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_here_the_emulator_is_enough():
    told = examined([])
    assert (told.returncode, told.stderr) == (0, ""), told
    wanted = NAMES if driver_here() else NAMES - set(doctor.ON_GPU) | {"GPU"}
    assert all(name in told.stdout for name in wanted)


def driver_here():
    """Whether this machine has NVIDIA's driver."""
    return bool(shutil.which("nvidia-smi")) or os.path.exists("/proc/driver/nvidia")


def test_without_a_driver_nothing_that_needs_one_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    monkeypatch.setattr(doctor.os.path, "exists", lambda path: False)
    assert doctor.doctor() == 0
    told = capsys.readouterr().out
    assert "missing  GPU              no NVIDIA driver here" in told
    assert not any(name in told for name in ("cuBLAS", "CUDA runtime", "ncu"))


def test_with_a_driver_all_of_it_is_looked_at(monkeypatch, capsys):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: "/bin/false")
    doctor.doctor()
    told = capsys.readouterr().out
    assert all(name in told for name in ("driver", "CuPy", "CUDA runtime", "cuBLAS", "ncu"))


def test_what_is_said_twice_is_told_once():
    def broken():
        raise OSError("no libcublas: No such file: a.so, No such file: a.so")

    line = doctor._careful(("thing", False, broken, "install it"))
    assert line.found == "no libcublas: No such file: a.so"


@pytest.mark.skipif(not driver_here(), reason="without a driver CuPy is not looked for")
def test_without_cupy_the_book_still_runs():
    told = examined(["cupy"])
    assert (told.returncode, told.stderr) == (0, ""), told
    assert "missing  CuPy" in told.stdout and "pip install cupy-cuda12x" in told.stdout


def test_without_its_libraries_it_says_so():
    told = examined(["numpy", "cuda", "pandas"])
    assert (told.returncode, told.stderr) == (1, ""), told
    assert "cannot run here yet: see libraries, NVRTC, emulator" in told.stdout

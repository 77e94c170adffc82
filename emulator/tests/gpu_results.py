"""What a GPU wrote in the launches of these tests: golden/results.json.

Each launch of ``emulator_helpers.program`` has an entry there: ``given`` is a hash of all that the
GPU was given, and ``wrote`` says what each array and ``__device__`` variable held afterwards. Where
there is no GPU, what the emulator wrote is compared with it.

On a GPU, ``RECORD=folder pytest emulator`` leaves the launches of each process in a file of
the folder, and ``python emulator/tests/gpu_results.py folder`` makes golden/results.json of them.
"""

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import pytest

RESULTS = Path(__file__).parent / "golden" / "results.json"
RECORD = os.environ.get("RECORD")  # the folder, if this process records
# Tests, by the beginnings of their names, of which no GPU has recorded the launches as they are
# now: these are not compared. Whoever records takes them off.
WAITING: list[str] = []

launched = Counter()  # by each test so far


def this_launch():
    """(test, number) of the launch that the running test has just made."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0].removeprefix("emulator/tests/")
    launched[test] += 1
    return test, launched[test] - 1


def digest(*data):
    """16 digits that differ where some bytes do."""
    return hashlib.sha256(b"".join(data)).hexdigest()[:16]


def kept(array, rtol):
    """What is kept of an array: where floats may differ a little, its bytes; else a hash, in which
    any NaN equals any other.
    """
    flat = np.ravel(array, order="K")
    if flat.dtype.kind == "f":
        if rtol:
            return base64.b64encode(flat.tobytes()).decode()
        flat = np.where(np.isnan(flat), flat.dtype.type(np.nan), flat)
    return digest(flat.tobytes())


# Comparing ----------------------------------------------------------------------------------------
@cache
def recorded():
    """{test: entries of its launches}."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))["launches"]


def compare(test, number, given, arrays, rtol):
    """Fail the test if its launch wrote into arrays, {name: array}, other than it did on the GPU,
    or if the launch is not the one that was recorded. Launches of tests in other folders are not
    kept, and so not compared.
    """
    if waits(test) or test.startswith("tests/"):
        return
    entries = recorded().get(test, [])
    entry = entries[number] if number < len(entries) else None
    if entry is None or entry["given"] != given:
        pytest.fail(
            f"{test}, launch {number}: {RESULTS.name} has "
            + ("no such launch" if entry is None else "this launch with another text or inputs")
            + ". Record anew on a GPU, as CONTRIBUTING.md says ('Add an opcode to the emulator'), "
            "or add the test to WAITING in tests/gpu_results.py until somebody does."
        )
    assert arrays.keys() == entry["wrote"].keys()
    for name, array in arrays.items():
        wrote = entry["wrote"][name]
        said = f"{test}, launch {number}: the GPU wrote something else into {name}"
        if rtol and array.dtype.kind == "f":
            there = np.frombuffer(base64.b64decode(wrote), array.dtype)
            ours = np.ravel(array, order="K")
            np.testing.assert_allclose(ours, there, rtol=rtol, atol=rtol, err_msg=said)
        else:
            assert kept(array, rtol) == wrote, f"{said}; HW=1 on a GPU names the element"


def waits(test):
    return test.startswith(tuple(WAITING))


# Recording ----------------------------------------------------------------------------------------
def record(test, number, given, arrays, rtol):
    """Add a launch to this process's file. arrays: {name: array}, as the GPU left them."""
    wrote = {name: kept(array, rtol) for name, array in arrays.items()}
    entry = {"given": given, "wrote": wrote}
    Path(RECORD).mkdir(parents=True, exist_ok=True)
    with open(Path(RECORD) / f"{os.getpid()}.jsonl", "a", encoding="utf-8") as file:
        print(json.dumps([test, number, entry]), file=file)


def merge(folder, head):
    """The text of results.json: the launches in a folder's files, in order."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        for test, number, entry in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if found.setdefault((test, number), entry) != entry:
                sys.exit(f"{test}, launch {number} is recorded twice, with different results")
    tests = {}
    for (test, number), entry in sorted(found.items()):
        tests.setdefault(test, []).append(json.dumps(entry))
        if len(tests[test]) != number + 1:
            sys.exit(f"{test}, launch {len(tests[test]) - 1} is missing")
    lines = [json.dumps(test) + ": [\n" + ",\n".join(tests[test]) + "]" for test in tests]
    return '{"recorded": ' + json.dumps(head) + ',\n"launches": {\n' + ",\n".join(lines) + "\n}}\n"


def about_this_machine():
    """The GPU, its driver, the CUDA version that compiled, and the day."""
    from warpemu import nvrtc

    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    said = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True).stdout
    gpu, driver = said.splitlines()[0].split(", ")
    cuda = ".".join(map(str, nvrtc.version()))
    return {"gpu": gpu, "driver": driver, "cuda": cuda, "date": date.today().isoformat()}


if __name__ == "__main__":
    RESULTS.write_text(merge(Path(sys.argv[1]), about_this_machine()), encoding="utf-8")
    print(f"{RESULTS}: {RESULTS.stat().st_size:,} bytes. Now set WAITING = [] in {__file__}.")

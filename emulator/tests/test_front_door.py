"""What a caller outside may ask of a launch: go on behind findings, stop in time, say names."""

import numpy as np
import pytest
from emulator_helpers import line_of

import warpemu

RACES = """
extern "C" __global__ void k(const float* in, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[63 - t];                       // RACE
    __syncthreads();
    s[t] = t;
    out[t] += s[t ^ 32];                      // RACES AS WELL
    for (int i = 0; i < n; i++) out[64] += in[i];
    out[65 + n] = s[0];                       // BEYOND
}"""


@pytest.fixture
def races(compiled):
    return compiled(RACES).program


def arrays():
    return np.ones(64, "f4"), np.zeros(66, "f4")


def test_a_launch_that_keeps_going_raises_nothing_and_reports_every_kind_and_line(races):
    report = races.launch((1,), (64,), [*arrays(), np.int32(0)], trace=True, keep_going=True)
    found = {(f.kind, f.line): f.times for f in report.findings}
    assert found.keys() >= {
        ("shared race", line_of(RACES, "RACE")),
        ("shared race", line_of(RACES, "AS WELL")),
    }
    assert all(times >= 1 for times in found.values())
    assert report.stopped is None and report.global_ld_requests == 4


def test_a_fault_that_ends_the_launch_is_the_last_one_reported(races):
    report = races.launch((1,), (64,), [*arrays(), np.int32(1)], keep_going=True)
    last = report.findings[-1]
    assert (last.kind, last.line) == ("global out of bounds", line_of(RACES, "BEYOND"))
    assert last.detail.startswith("writes 4 bytes at out[66]") and last.detail in last.message
    assert (last.times, report.stopped) == (1, None) and len(report.findings) > 1


def test_a_launch_without_a_finding_reports_none(compiled):
    k = compiled('extern "C" __global__ void k(int* a) { a[threadIdx.x] = 1; }').program
    report = k.launch((1,), (32,), [np.zeros(32, "i4")], keep_going=True)
    assert report.findings == [] and report.stopped is None


def test_a_launch_that_keeps_going_says_that_its_time_was_up(compiled):
    k = compiled("""
    extern "C" __global__ void k(float* a) {
        for (long i = 0; i < 1l << 40; i++) a[threadIdx.x] = a[threadIdx.x] * 0.5f + i;
    }""").program
    report = k.launch((1,), (32,), [np.zeros(32, "f4")], seconds=0.05, trace=True, keep_going=True)
    assert report.findings == [] and report.instructions > 0
    assert "0.05 s" in str(report.stopped)


def test_names_for_messages(races):
    assert races.outputs == ["out"]
    races.rename("flip<64>", ["source", "target", "count"])
    assert [name for name, _, _ in races.parameters] == ["source", "target", "count"]
    assert races.outputs == ["target"]
    with pytest.raises(warpemu.Finding, match="^flip<64>, line .* target\\[66\\]") as found:
        races.launch((1,), (64,), [*arrays(), np.int32(1)], sanitize=False)
    assert found.value.array == "target"
    with pytest.raises(warpemu.EmulatorError, match="3 parameters, and 2 names"):
        races.rename("flip", ["a", "b"])


@pytest.mark.parametrize("sanitize", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_unwritten_elements(compiled, sanitize, dtype):
    k = compiled("""
    extern "C" __global__ void k(int* a, int words) {
        if (threadIdx.x % 3 == 0)
            for (int i = 0; i < words; i++) a[threadIdx.x * words + i] = threadIdx.x;
    }""").program
    a = np.zeros(40, dtype)
    assert warpemu.mark_uninitialised(a) and warpemu.unwritten(a).all()
    a[1] = 5  # by the host
    k.launch((1,), (33,), [a, np.int32(a.itemsize // 4)], sanitize=sanitize)
    written = [1, *range(0, 33, 3)]
    assert np.flatnonzero(~warpemu.unwritten(a)).tolist() == sorted(written)
    assert not warpemu.unwritten(a[3:4]).any() and warpemu.unwritten(a[34:]).all()
    a[...] = 0
    assert not warpemu.unwritten(a).any()


def test_elements_too_small_to_mark(compiled):
    a = np.ones(8, "f2")
    assert not warpemu.mark_uninitialised(a)
    assert (a == 1).all() and not warpemu.unwritten(a).any()

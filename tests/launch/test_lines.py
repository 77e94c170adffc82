"""Launches written as one line: what the header adds to them, and what is refused."""

import math

import pytest
from helpers import TESTS

from warpbook.launch import source
from warpbook.launch.lines import launch_line, listed, topics

GOLDEN = TESTS / "golden" / "counters.txt"
PLANS = [*topics().values(), GOLDEN]


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.parent.name)
def test_every_listed_launch_fits_its_kernel(path):
    for launch in listed(path):
        assert fits(launch), f"{launch.kernel} {launch.defines} {launch.size}"


def fits(launch):
    """Whether it gives every parameter something, in a launch that any GPU takes."""
    parsed = launch.parsed
    pointers = {p.name for p in parsed.parameters if p.pointer}
    scalars = {p.name for p in parsed.parameters} - pointers
    defines = {**parsed.defines, **dict(word.split("=", 1) for word in launch.defines.split())}
    return (
        (set(launch.shapes), set(launch.values)) == (pointers, scalars)
        and math.prod(launch.grid) >= 1
        and 1 <= math.prod(launch.block) <= 1024
        and all(
            launch.values[name] % int(defines.get(of, of)) == 0  # else the launch is refused
            for name, of in parsed.multiples.items()
        )
    )


def test_listed_launches_are_distinct():
    rows = [(x.kernel, x.defines, x.size) for path in PLANS for x in listed(path)]
    assert len(rows) == len(set(rows))


def test_grid_block_and_shapes_come_from_the_header():
    launch = launch_line("coalescing/01_strided STRIDE=4 n=1003")
    assert (launch.grid, launch.block) == ((4,), (256,))
    assert launch.shapes == {"in": (4012,), "out": (1003,)}
    assert [getattr(a, "shape", a) for a in launch.args()] == [(4012,), (1003,), 1003]


def test_a_line_may_set_grid_and_block():
    launch = launch_line("coalescing/01_strided n=64 grid=2,1 block=32")
    assert (launch.grid, launch.block) == ((2, 1), (32,))
    assert launch.size == "n=64 grid=2,1 block=32"


@pytest.mark.parametrize(
    "line, said",
    [
        ("coalescing/01_strided STRIDE=4", "gives no value for n"),
        ("coalescing/99_none n=1", "there is no kernel"),
    ],
)
def test_a_line_that_does_not_fit_is_refused(line, said):
    with pytest.raises((ValueError, LookupError), match=said):
        launch_line(line)


def test_a_header_without_a_formula_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "topic"
    folder.mkdir()
    (folder / "01_any.cu").write_text(
        "// Launch:   block (any), grid (ceil(n/block))\n"
        'extern "C" __global__\nvoid topic_any(\n    float* out,  // [n]\n    int n) { }\n'
    )
    monkeypatch.setattr(source, "KERNELS", tmp_path)
    with pytest.raises(ValueError, match="grid of .*block.* is not defined.*Add grid="):
        launch_line("topic/01_any n=5 block=32")
    assert launch_line("topic/01_any n=5 block=32 grid=1").shapes == {"out": (5,)}


def test_without_a_formula_there_is_no_dynamic_shared_memory():
    assert launch_line("coalescing/01_strided n=77").shared_bytes == 0


def test_dynamic_shared_memory_comes_from_the_header(tmp_path, monkeypatch):
    folder = tmp_path / "topic"
    folder.mkdir()
    (folder / "01_any.cu").write_text(
        "// Launch:   block (32), grid (ceil(n/32)),\n//           shared_bytes 4*(n + 1)\n"
        'extern "C" __global__\nvoid topic_any(\n    float* out,  // [n]\n    int n) { }\n'
    )
    monkeypatch.setattr(source, "KERNELS", tmp_path)
    assert launch_line("topic/01_any n=5").shared_bytes == 24


def test_every_topic_with_a_list_is_there():
    assert topics().keys() == {path.parent.name for path in source.KERNELS.glob("*/counters.txt")}
    assert "coalescing" in topics()


def test_the_kernels_of_a_list_lie_beside_it():
    assert {launch.parsed.path.parent for launch in listed(GOLDEN)} == {GOLDEN.parent}
    assert launch_line("golden/global_load n=77", TESTS).parsed.path.is_relative_to(TESTS)
    with pytest.raises(LookupError, match="no kernel 'golden/global_load'"):
        launch_line("golden/global_load n=77")

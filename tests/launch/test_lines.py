"""Launches written as one line: what the header adds to them, and what is refused."""

import math

import numpy as np
import pytest
from helpers import TESTS

from warpbook import cp, load, tensor_map
from warpbook.launch import header, source
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


MAPPED = """\
// topic/01_any: copies an array, a box at a time.
//
// Launch:   block (32), grid (ceil(n/ROWS))
// Maps:     from and to in boxes (ROWS, 64); bfloat16, swizzle 128B
#ifndef ROWS
#define ROWS 8
#endif
struct alignas(64) TensorMap { unsigned long long words[16]; };
extern "C" __global__ void topic_any(
    const __grid_constant__ TensorMap from,    // [n, 2*k]
    const __grid_constant__ TensorMap to,      // [n, k]
    unsigned int* count,                       // [n]
    int n, int k)
{
    extern __shared__ __align__(1024) char box[];
    unsigned int at = __cvta_generic_to_shared(box), full = at + 128 * ROWS;
    int row = blockIdx.x * ROWS;
    if (threadIdx.x) return;
    count[blockIdx.x] = 1;
    asm volatile(
        "{ .reg .pred over;\\n"
        "mbarrier.init.shared::cta.b64 [%1], 1;\\n"
        "fence.mbarrier_init.release.cluster;\\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %5;\\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
        "::complete_tx::bytes [%0], [%2, {%6, %4}], [%1];\\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%1], 0;\\n"
        "@!over bra again;\\n"
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
        " [%3, {%7, %4}], [%0];\\n"
        "cp.async.bulk.commit_group;\\n"
        "cp.async.bulk.wait_group 0; }"
        :: "r"(at), "r"(full), "l"(&from), "l"(&to), "r"(row),
           "r"(128 * ROWS), "r"(k), "r"(0) : "memory");
}
"""


@pytest.fixture
def mapped(tmp_path, monkeypatch):
    """Writes a kernel that takes tensor maps as topic/01_any; returns its path."""
    folder = tmp_path / "topic"
    folder.mkdir()
    path = folder / "01_any.cu"
    path.write_text(
        MAPPED.replace("block (32),", "block (32), shared_bytes 128*ROWS + 8,"), encoding="utf-8"
    )
    monkeypatch.setattr(source, "KERNELS", tmp_path)
    return path


def test_a_tensor_map_takes_an_array_as_a_pointer_does(mapped):
    launch = launch_line("topic/01_any ROWS=4 n=10 k=64")
    assert launch.shapes == {"from": (10, 128), "to": (10, 64), "count": (10,)}
    assert launch.values == {"n": 10, "k": 64} and launch.grid == (3,)
    assert [getattr(array, "dtype", None) for array in launch.args()[:2]] == ["uint16", "uint16"]
    report = launch.emulate(trace=True)
    assert report.global_st_requests == 3
    launch.run()


def words(rows, cols):
    return np.random.default_rng(0).integers(0, 1 << 16, (rows, cols), np.uint16)


def test_a_launch_makes_the_maps_that_the_header_says(mapped):
    kernel = load("topic/01_any", ROWS=4)
    given, want = cp.asarray(words(10, 128)), cp.asarray(words(10, 128)[:, 64:])
    for maps in (lambda *arrays: arrays, lambda *arrays: [of(array) for array in arrays]):
        copied, count = cp.zeros((10, 64), np.uint16), cp.zeros(10, np.uint32)
        assert kernel.run(*maps(given, copied), count, 10, 64) is count
        assert (copied == want).all() and count[:3].tolist() == [1, 1, 1]


def of(array):
    return tensor_map(array, (4, 64), kind="bfloat16", swizzle="128B")


def test_the_arrays_of_the_last_maps_are_kept(mapped):
    kernel = load("topic/01_any", ROWS=4)
    copied = cp.zeros((10, 64), np.uint16)
    kernel.run(cp.asarray(words(10, 128)), copied, cp.zeros(10, np.uint32), 10, 64)
    first, second = kernel.mapped
    assert first.shape == (10, 128) and second is copied


@pytest.mark.parametrize(
    "given, error, said",
    [
        (lambda a: 3, TypeError, "argument 'from' is a tensor map, but got int 3. Pass its array"),
        (lambda a: a.astype(np.float32), ValueError, r"in boxes \(ROWS, 64\), as .* kind bfloat16"),
        (lambda a: a[0], ValueError, "argument 'from': no tensor map of this array in boxes"),
        (lambda a: cp.zeros((10, 130), np.uint16)[:, 1:], ValueError, "Pass another array"),
    ],
)
def test_what_no_map_can_be_made_of_is_refused(mapped, given, error, said):
    kernel, array = load("topic/01_any", ROWS=4), cp.asarray(words(10, 128))
    with pytest.raises(error, match=said):
        kernel.run(given(array), cp.zeros((10, 64), np.uint16), cp.zeros(10, np.uint32), 10, 64)


@pytest.mark.parametrize(
    "said, described",
    [
        (
            "q in boxes (1, 64*(G + 1), 64), k and v in boxes (1, BN, 64); bfloat16, swizzle 128B",
            {"q": "(1, 64*(G + 1), 64)", "k": "(1, BN, 64)", "v": "(1, BN, 64)"},
        ),
        ("a, b and c in boxes (8); float32, swizzle none", dict.fromkeys("abc", "(8)")),
        (
            "a, b, and c in boxes\n//           (8); float32,\n//           swizzle none",
            dict.fromkeys("abc", "(8)"),
        ),
        ("a in boxes (8)", {}),  # of what?
        ("a with boxes (8); float32, swizzle none", {}),
        ("", {}),
    ],
)
def test_maps_of_a_header(said, described):
    maps = header.read(f"// topic/01_any: any.\n//\n// Maps:     {said}\nint a;\n").maps
    assert {name: found.box for name, found in maps.items()} == described
    for found in maps.values():
        assert (found.kind, found.swizzle) in {("bfloat16", "128B"), ("float32", "none")}


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("Maps: ", "Boxes: ", "no value for from, to"),
        ("// [n, 2*k]", "// [n, 2k]", "shape of from in .*2k"),
    ],
)
def test_tensor_maps_that_the_header_leaves_open_are_refused(mapped, old, new, said):
    mapped.write_text(mapped.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        launch_line("topic/01_any n=10 k=64")


def test_a_box_that_cannot_be_worked_out_is_refused(mapped):
    mapped.write_text(
        mapped.read_text(encoding="utf-8").replace("(ROWS, 64)", "(rows, 64)"), encoding="utf-8"
    )
    with pytest.raises(ValueError, match=r"in boxes \(rows, 64\), .*'rows' is not defined"):
        launch_line("topic/01_any n=10 k=64").run()


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
        'extern "C" __global__\nvoid topic_any(\n    float* out,  // [n]\n    int n) { }\n',
        encoding="utf-8",
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
        'extern "C" __global__\nvoid topic_any(\n    float* out,  // [n]\n    int n) { }\n',
        encoding="utf-8",
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

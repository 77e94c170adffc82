"""Criteria: counts as ratios to what the work needs, words of the source; seeds and sizes."""

import numpy as np
import pytest
from grading_helpers import graded

from warpbook import Case, drawn, forbids, least, most, requires, through
from warpbook.grading import draws, technique
from warpbook.grading.exercises import specification
from warpbook.launch.kernel import load_path, observed
from warpbook.measure.tracing import Trace
from warpemu import flipped

# --- counts -------------------------------------------------------------------------------------


def test_a_bound_is_a_multiple_of_what_the_work_needs():
    sectors = most("global_ld_sectors", 1.1, lambda rows, cols: rows * cols / 8, "Be close.")
    assert sectors.title((16, 32)) == "global_ld_sectors at most 70.4"
    assert sectors.judge((16, 32), 64) == "64"
    with pytest.raises(AssertionError) as failure:
        sectors.judge((16, 32), 2048)
    said = "global_ld_sectors is 2,048, 32 times what the work needs; at most 1.1 times is asked."
    assert str(failure.value) == f"{said} Be close."


def test_a_bound_without_need_is_the_number_itself():
    assert most("shared_ld_conflicts", 0).judge(64, 0) == "0"
    with pytest.raises(AssertionError, match="^shuffles is 3; at least 5 is asked.$"):
        least("shuffles", 5).judge(64, 3)


@pytest.mark.parametrize(
    "make, value, said", [(most, 65, "no more than it needs"), (least, 63, "no less than it needs")]
)
def test_a_bound_may_be_the_need_itself(make, value, said):
    assert make("barriers", 1, lambda n: n).judge(64, 64)
    with pytest.raises(AssertionError, match=f"{said} is asked"):
        make("barriers", 1, lambda n: n).judge(64, value)


@pytest.mark.parametrize("criterion", [most("sectors_per_ld_request", 4), least("x", 1)])
def test_what_was_not_counted_passes_no_bound(criterion):
    with pytest.raises(AssertionError):
        criterion.judge(1, float("nan"))


KERNEL = """
extern "C" __global__ void k(float* out)
{
    __shared__ float tile[100];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int i = 64 * blockIdx.x + threadIdx.x;
    float a = fmaf(tile[threadIdx.x ^ 1], 2.0f, out[i]);
    a += __shfl_xor_sync(0xffffffff, a, 1);
    __threadfence();
    atomicAdd(out + i, a);
}
"""


def test_counters_of_every_kind(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(KERNEL, encoding="utf-8")
    kernel = load_path(path)
    with observed() as reports:
        kernel(2, 64, np.ones(128, np.float32))
    traced = Trace(kernel, reports[0])
    counted = {
        counter: technique.value(counter, traced, 1000)
        for counter in (
            "barriers",
            "shuffles",
            "fences",
            "fmas",
            "shared_bytes",
            "atomic_requests",
            "local_bytes",
            "cp_async",
            "ptx shfl.sync",
            "ptx nothing",
        )
    }
    assert counted == {
        "barriers": 4,
        "shuffles": 4,
        "fences": 4,
        "fmas": 4,
        "shared_bytes": 1400,
        "atomic_requests": 4,
        "local_bytes": 0,
        "cp_async": 0,
        "ptx shfl.sync": 4,
        "ptx nothing": 0,
    }
    assert 4 < technique.value("registers", traced, 0) < 64


def test_a_load_is_ahead_between_a_barrier_and_the_reads_of_the_tile():
    ahead = "ld.global; st.shared; bar.sync 0; ld.global; ld.global.nc; ld.shared; fma.rn;"
    assert technique.loads_ahead(ahead) == 2
    assert technique.loads_ahead("ld.global; bar.sync 0; ld.shared; bar.sync 0; ld.global;") == 0
    assert technique.loads_ahead("bar.warp.sync 1; ld.global; ld.shared;") == 0
    stored = "bar.sync 0; ld.global; st.shared; ld.global; ld.shared;"
    assert technique.loads_ahead(stored) == 1


# --- falsified launches ---------------------------------------------------------------------------


def test_results_have_to_follow_what_is_falsified():
    given = np.arange(1.0, 9.0)
    case = Case((1,), (32,), (given,), given**2)
    asked = through(
        "products",
        lambda case, outputs, factors: np.array_equal(
            outputs[0], factors(case.args[0]) * case.args[0]
        ),
        "Store them.",
    )
    assert asked.title(4) == "results come from the tensor cores"
    right = flipped(given, 3) * given
    assert asked.judge(case, [right], 3) == ""
    for seen in (case.want, 2 * right, flipped(given, 4) * given):
        with pytest.raises(AssertionError, match="something else works them out. Store them."):
            asked.judge(case, [seen], 3)


# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, found",
    [
        ("#include <cuda_fp16.h>", True),
        ('#  include "cuda_fp16.h"', True),
        ("// #include <cuda_fp16.h>", False),
        ('printf("cuda_fp16.h")', False),
        ("/* cuda_fp16.h */", False),
        ("a_cuda_fp16.h", False),
    ],
)
def test_a_word_counts_outside_comments_and_strings(text, found):
    for criterion, refused in (
        (forbids("cuda_fp16.h"), found),
        (requires("cuda_fp16.h"), not found),
    ):
        if refused:
            with pytest.raises(AssertionError, match=r"cuda_fp16\.h"):
                criterion.judge(f"\n{text}\n")
        else:
            assert criterion.judge(f"\n{text}\n") == ""


def test_a_forbidden_word_is_named_with_its_line():
    with pytest.raises(AssertionError, match="^Line 3 has goto: do without it. Loop.$"):
        forbids("goto", "Loop.").judge("a\n/* b\n*/ goto c;")


def test_a_word_in_a_comment_of_the_ptx_does_not_count():
    asked = requires("cp.async.wait_group 1", compiled=True)
    assert asked.judge("cp.async.wait_group  1;") == ""
    for ptx in ("// cp.async.wait_group 1\ncp.async.wait_all;", "/* cp.async.wait_group 1 */"):
        with pytest.raises(AssertionError, match="lacks cp.async.wait_group 1"):
            asked.judge(ptx)


def test_a_word_may_be_looked_for_in_what_is_compiled():
    ptx = "// cp.async.wait_group 0;\ncp.async.wait_group 1;"
    assert requires("cp.async.wait_group 1", compiled=True).judge(ptx) == ""
    with pytest.raises(AssertionError, match="^The compiled kernel lacks mma.sync. Use it.$"):
        requires("mma.sync", "Use it.", compiled=True).judge(ptx)


def test_layout_and_comments_make_no_other_tokens():
    assert technique.tokens("int  a;// b\n/* c */ a = 1;") == technique.tokens("int a; a=1;")
    assert technique.tokens("a = 1;") != technique.tokens("a = 2;")


# --- draws --------------------------------------------------------------------------------------


def test_a_seed_draws_the_same_sizes_again():
    asked = (1, (33, drawn(2, 9)), drawn(100, 4000, 4))
    sizes = [draws.Draw(seed).all_sizes(asked) for seed in range(50)]
    assert sizes == [draws.Draw(seed).all_sizes(asked) for seed in range(50)]
    assert {size[0] for size in sizes} == {1}
    assert {size[1] for size in sizes} == {(33, n) for n in range(2, 10)}
    assert all(100 <= size[2] <= 4000 and size[2] % 4 == 0 for size in sizes)
    assert len({size[2] for size in sizes}) > 40


def test_a_grading_is_repeated_by_its_seed(toy):
    first = graded(toy, "2 * in[i]", "3 * in[i]")
    again = graded(toy, "2 * in[i]", "3 * in[i]", seed=first.seed)
    assert repr(first) == repr(again)
    assert f"Drawn with seed {first.seed}" in repr(first)
    assert f"Drawn with seed {first.seed}" in first._repr_html_()


def test_a_teachers_file_gives_seed_and_further_sizes(tmp_path, monkeypatch):
    file = tmp_path / "teacher.toml"
    file.write_text(
        'seed = "ours"\n[sizes]\n"a/one" = [7, 9]\n"a/two" = [[3, 4]]\n', encoding="utf-8"
    )
    monkeypatch.setenv(draws.TEACHER, str(file))
    one, two, other = (draws.draw(name) for name in ("a/one", "a/two", "a/other"))
    assert one.all_sizes((1, 5)) == (1, 7, 9, 5) and two.sizes == ((3, 4),) and other.sizes == ()
    assert one.seed == two.seed and not one.shown
    assert draws.draw("a/one", seed=3) == draws.Draw(3)
    file.write_text('seed = "another"', encoding="utf-8")
    assert draws.draw("a/one").seed != one.seed


@pytest.mark.parametrize("text", ["", "seed", 'sizes = 3\nseed = "a"'])
def test_a_teachers_file_that_is_none_is_named(tmp_path, monkeypatch, text):
    file = tmp_path / "teacher.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv(draws.TEACHER, str(file))
    with pytest.raises(ValueError, match=r"teacher\.toml, which is no teacher's file"):
        draws.draw("a/one")


def test_the_last_size_is_the_one_that_is_counted(toy):
    spec = specification("toy/double")
    *_, last = draws.Draw(5).all_sizes(spec.sizes)
    rows = graded(toy, seed=5).rows
    assert f"global_ld_sectors at most {-(-last // 8)}" in [row.name for row in rows]


def test_a_miss_by_little_does_not_look_like_the_bound():
    with pytest.raises(AssertionError, match=r"^x is 12,001, 1.2001 times .*; at most 1.2 times"):
        most("x", 1.2, lambda n: n).judge(10_000, 12_001)
    assert most("x", 1.1, lambda n: n).title(12_345) == "x at most 13,580"

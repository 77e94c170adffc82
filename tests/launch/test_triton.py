"""Triton's kernels: each file says what it is, compiles, runs emulated, and can be edited."""

import re
from importlib import metadata

import numpy as np
import pytest

from warpbook import Finding, check, poisoned, resources, sass, show, triton_kernel
from warpbook.launch import source, triton
from warpbook.launch.kernel import NotRun, observed

FILES = sorted(source.KERNELS.glob("*/triton_*.py"))
NAMES = [f"{path.parent.name}/{path.stem}" for path in FILES]
ADD, MATMUL = "vector_add/triton_add", "tensor_cores/triton_matmul"
SMALL = {"BM": 64, "BN": 64, "BK": 32}
try:
    VERSION = metadata.version("triton")
except metadata.PackageNotFoundError:
    VERSION = ""
needs_triton = pytest.mark.skipif(
    VERSION != triton.VERSION, reason=f"the extra `triton`, {triton.VERSION}, is not installed"
)


def with_fence(ptx):
    fence = "fence.proxy.async.shared::cta;"
    return re.sub(r"(cp\.async\.wait_group\s+\d+;)", rf"\1\n\t{fence}", ptx)


def with_meeting(ptx):
    return re.sub(r"(\n[^\n]*tensormap\.cp_fenceproxy)", r"\n\tbar.warp.sync -1;\1", ptx)


@pytest.fixture
def rng():
    return np.random.default_rng(29)


def vectors(rng, n):
    return *rng.standard_normal((2, n), dtype="f4"), poisoned(n)


def halves(rng, m, n, k):
    a, b = (rng.integers(-7, 8, shape) / 4 for shape in ((m, k), (k, n)))
    return a.astype("f2"), b.astype("f2"), poisoned((m, n), "f2")


def exactly(a, b):
    return (a.astype("f4") @ b.astype("f4")).astype("f2")


# The files.


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_begins_with_its_name_and_says_how_it_is_launched(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {path.parent.name}/{path.stem}: ")
    lines = text.splitlines()
    assert [line for line in lines if len(line) > 78 or line != line.rstrip()] == []
    assert re.search(r"^# Launch:   grid \(.+\)$", text, re.M)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_lists_its_constants_with_their_values(path):
    kernel = triton_kernel(f"{path.parent.name}/{path.stem}")
    said = kernel.header.fields["Defines"]
    listed = dict(re.findall(r"([A-Z]+) = (\w+)", said))
    open_type = {"TYPE": "fp16"} if "TYPE" in path.read_text(encoding="utf-8") else {}
    assert listed == open_type | {name: str(value) for name, value in kernel.constants.items()}


def test_each_kernel_has_a_name_of_its_own():
    names = [triton_kernel(name).name for name in NAMES]
    assert len(set(names)) == len(names)


# What a kernel refuses.


def test_unknown_names_are_refused():
    with pytest.raises(LookupError, match="There are: .*vector_add/triton_add"):
        triton_kernel("vector_add/03_grid")
    with pytest.raises(LookupError, match="no constant 'TILE'. It has: BLOCK"):
        triton_kernel(ADD, TILE=3)
    with pytest.raises(LookupError, match="no integer argument 'a'"):
        triton_kernel(ADD, multiples=["a"])


@needs_triton
def test_wrong_arguments_are_refused(rng):
    add = triton_kernel(ADD, multiples=["n"])
    a, b, c = vectors(rng, 32)
    with pytest.raises(TypeError, match=r"takes \(a, b, c, n\); it was given 3"):
        add.run(a, b, c)
    with pytest.raises(TypeError, match="b is to be an array of float32"):
        add.run(a, b.astype("f8"), c, 32)
    with pytest.raises(ValueError, match="a is to be contiguous"):
        add.run(a[::2], b, c, 16)
    with pytest.raises(ValueError, match="promised that n is a multiple of 16; 31 is not"):
        add.run(a, b, c, 31)


# Results.


@needs_triton
@pytest.mark.parametrize("n", [1, 31, 1024, 1025])
def test_vector_add(rng, n):
    a, b, c = vectors(rng, n)
    assert triton_kernel(ADD).run(a, b, c, n) is c
    check(c, a + b)


@needs_triton
@pytest.mark.parametrize("rows, cols", [(1, 1), (3, 777), (2, 4096)])
def test_softmax(rng, rows, cols):
    x = rng.standard_normal((rows, cols), dtype="f4")
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    got = triton_kernel("softmax/triton_rows").run(x, poisoned(x.shape), rows, cols)
    check(got, powers / powers.sum(axis=1, keepdims=True))


@needs_triton
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (65, 72, 40), (130, 64, 96)])
def test_matmul_for_ampere(rng, m, n, k, stages):
    a, b, c = halves(rng, m, n, k)
    kernel = triton_kernel(MATMUL, arch=80, stages=stages, GROUP=2, **SMALL)
    check(kernel.run(a, b, c, m, n, k), exactly(a, b))


@needs_triton
def test_matmul_by_maps_with_the_meeting_that_is_missing(rng):
    m, n, k = 65, 72, 40
    kernel = triton_kernel("hopper/triton_maps", arch=90, **SMALL)
    a, b, c = halves(rng, m, n, k)
    with pytest.raises(Finding, match="missing __syncwarp"):
        kernel.trace(a, b, c, m, n, k)
    met = kernel.edited("ptx", with_meeting)
    check(met.run(a, b, c, m, n, k), exactly(a, b))


@needs_triton
def test_the_type_of_the_elements_can_be_set(rng):
    one = np.full((64, 64), 0x3F80, np.uint16)  # 1 in bfloat16
    kernel = triton_kernel(MATMUL, arch=80, TYPE="bf16", **SMALL)
    assert (kernel.run(one, one, poisoned((64, 64), "u2"), 64, 64, 64) == 0x4280).all()  # 64


def widened(words):
    return (words.astype("u4") << 16).view("f4")


@needs_triton
@pytest.mark.parametrize("heads, length, size", [(1, 1, 64), (2, 65, 64), (1, 100, 128)])
def test_attention(rng, heads, length, size):
    q, k, v = (rng.standard_normal((3, heads, length, size), dtype="f4").view("u4") >> 16).astype(
        "u2"
    )
    kernel = triton_kernel("flash_attention/triton_attention", arch=80, HEAD=size, BM=64, BN=32)
    got = kernel.run(q, k, v, poisoned(q.shape, "u2"), heads, length)
    scores = widened(q) @ widened(k).transpose(0, 2, 1) / size**0.5
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    want = weights @ widened(v) / weights.sum(axis=2, keepdims=True)
    check(widened(got), want, rtol=2**-6, atol=2**-7)


# What the compiler chose, and what an edit changes.


@needs_triton
def test_a_promise_makes_loads_wide(rng):
    tile = *vectors(rng, 4096), 4096
    wide, plain = triton_kernel(ADD, multiples=["n"]), triton_kernel(ADD)
    one = plain.edited("ttgir", lambda t: t.replace("sizePerThread = [4]", "sizePerThread = [1]"))
    counted = [kernel.trace(*tile) for kernel in (wide, plain, one)]
    assert [c.global_ld_requests for c in counted] == [64, 256, 256]
    assert [c.global_ld_sectors for c in counted] == [1024, 4096, 1024]
    assert wide.count("ld.global.v4") == 4 and plain.count("ld.global.b32") == 16
    assert wide.trace(*tile).executed("ld.global") == 64
    assert "sizePerThread = [1]" in one.layouts["#blocked"]


@needs_triton
@pytest.mark.parametrize("promised", [("in_n", "out_n"), ("in_n",), ("out_n",), ()])
def test_a_promise_about_one_mask_leaves_the_other_as_it_is(rng, promised):
    a, b, c = vectors(rng, 4096)
    kernel = triton_kernel("vector_add/triton_masks", promised)
    check(kernel.run(a, b, c, 4096, 4096), a + b)
    counts = kernel.trace(a, b, c, 4096, 4096)
    assert counts.global_ld_sectors == (1024 if "in_n" in promised else 4096)
    assert counts.global_st_sectors == (512 if "out_n" in promised else 2048)


@needs_triton
def test_a_launch_in_the_emulator_is_observed(rng):
    with observed() as reports:
        triton_kernel(ADD).run(*vectors(rng, 1024), 1024)
    assert [report.global_ld_sectors for report in reports] == [1024]


@needs_triton
def test_a_trace_leaves_the_arrays_as_they_are(rng):
    a, b, c = vectors(rng, 1024)
    triton_kernel(ADD).trace(a, b, c, 1024)
    assert np.isnan(c).all()


@needs_triton
def test_without_the_swizzle_there_are_conflicts(rng):
    kernel = triton_kernel(MATMUL, arch=80, BM=64, BN=64, BK=64, multiples=["n", "k"])
    plain = kernel.edited("ttgir", lambda t: re.sub(r"maxPhase = \d+", "maxPhase = 1", t))
    given = *halves(rng, 64, 64, 64), 64, 64, 64
    assert kernel.trace(*given).shared_ld_conflicts == 0
    assert plain.trace(*given).shared_ld_conflicts == 1792


@needs_triton
def test_the_sanitizer_finds_the_missing_fence(rng):
    kernel = triton_kernel(MATMUL, arch=90, multiples=["n", "k"], **SMALL)
    given = *halves(rng, 64, 64, 64), 64, 64, 64
    with pytest.raises(Finding, match="missing proxy fence"):
        kernel.trace(*given)
    kernel.trace(*given, sanitize=False)
    fenced = kernel.edited("ptx", with_fence)
    fenced.trace(*given)
    assert fenced.cubin and fenced.cubin != kernel.cubin


@needs_triton
def test_an_edit_that_changes_nothing_is_refused():
    with pytest.raises(ValueError, match="leaves the ttgir as it is"):
        triton_kernel(ADD).edited("ttgir", lambda text: text.replace("no such word", ""))


@needs_triton
def test_every_element_says_who_holds_it():
    owner = triton_kernel("vector_add/triton_owner", multiples=["n"])
    held = owner.run(poisoned(1024, "i4"), 1024)
    assert (held == np.arange(1024) // 4 % 128).all()
    ones = np.ones((64, 16), "f2"), np.ones((16, 64), "f2")
    sums = triton_kernel("tensor_cores/triton_owner", arch=80).run(*ones, poisoned((64, 64), "i4"))
    row, col = np.indices((64, 64))
    warp = row // 16 % 2 * 2 + col // 8 % 2
    assert (sums == 32 * warp + row % 8 * 4 + col % 8 // 2).all()


# Machine code and listings.


@needs_triton
def test_machine_code_and_resources():
    kernel = triton_kernel(ADD, multiples=["n"], arch=90)
    assert kernel.architecture == kernel.machine == "sm_90a"
    assert 8 <= resources(kernel)["num_regs"] <= 64
    code = sass(kernel)
    assert "triton_add" in code.title
    assert code.missing or code.count("LDG.E.128") == 4


def test_a_kernel_is_shown():
    text = repr(show(triton_kernel(ADD)))
    assert text == source.KERNELS.joinpath(f"{ADD}.py").read_text(encoding="utf-8").rstrip("\n")


# Without Triton.


def test_without_triton_a_sentence_says_so_and_the_page_goes_on(rng, monkeypatch, capsys):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(triton.metadata, "version", absent)
    triton._say.cache_clear()
    kernel = triton_kernel(ADD, multiples=["n"])
    assert "Triton is not installed here" in capsys.readouterr().out
    tile = *vectors(rng, 64), 64
    assert isinstance(kernel.run(*tile), NotRun)
    counted = kernel.trace(*tile)
    assert np.isnan(counted.global_ld_sectors) and np.isnan(counted.executed("bar"))
    assert np.isnan(kernel.count("ld.global")) and kernel.layouts == {} and kernel.ptx == ""
    assert kernel.edited("ptx", str.upper).missing
    assert np.isnan(resources(kernel)["num_regs"]) and np.isnan(sass(kernel).count("LDG"))
    assert "Triton" in repr(sass(kernel)) and show(kernel)
    triton._say.cache_clear()

"""A kernel as a C function: same results as in the emulator, and errors that say what to do."""

import numpy as np
import pytest

from warpbook.launch import cpu, kernel, source
from warpbook.launch.backend import GPU, cp
from warpemu import nvrtc

compiled = pytest.mark.skipif(cpu.compiler() is None, reason="no C++ compiler here")
NO_PRODUCTS = ("10_fma", "11_read")  # what bounds a product
STEPS = [v for v in source.variants("matmul_cpu") if not v.endswith(NO_PRODUCTS)]
SMALL = {"matmul_cpu/12_slices": {"B1": 24, "B3": 8}}  # several bands and slices at these sizes
SIZES = [(1, 1, 1), (3, 5, 7), (9, 17, 5), (8, 16, 4), (50, 33, 21)]


def panels(b, width):
    """b in panels of ``width`` columns, the last one filled up with zeros."""
    k, n = b.shape
    full = np.zeros((k, -(-n // width) * width), b.dtype)
    full[:, :n] = b
    return np.ascontiguousarray(full.reshape(k, -1, width).transpose(1, 0, 2))


def arguments(variant, m, n, k):
    """(a, b, b as the variant wants it, what follows c: room to work in, sizes, strides)."""
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.random(shape, dtype=np.float32) for shape in ((m, k), (k, n)))
    packed = "V2" in source.parse(source.find(variant)).parameters[1].shape
    rest = (m, n, k) + ((k, 1, n, 1) if "strided" in variant else ())
    if variant in SMALL:
        rest = (cpu.empty(24 * 8), cpu.empty(8 * (n + 48)), *rest)
    return a, b, panels(b, 16) if packed else b, rest


@pytest.fixture
def vanilla():
    return cpu.load("matmul_cpu/01_vanilla")


@pytest.fixture
def none(monkeypatch):
    """A machine without a compiler."""
    monkeypatch.setattr(cpu, "COMPILERS", ("no-such-compiler",))


@compiled
@pytest.mark.parametrize("variant", STEPS)
def test_every_step_is_right_at_every_size(variant):
    function = cpu.load(variant, **SMALL.get(variant, {}))
    for size in SIZES:
        a, b, given, rest = arguments(variant, *size)
        c = np.full(size[:2], np.nan, np.float32)
        function(a, given, c, *rest)
        np.testing.assert_allclose(c, a.astype(float) @ b, rtol=1e-5)


@compiled
@pytest.mark.parametrize("size, times", [(128, 1), (128, 3), (1280, 2)])
def test_reading_adds_up_every_float_it_read(size, times):
    a = np.random.default_rng(size).random(size, dtype=np.float32)
    out = np.full(128, np.nan, np.float32)
    cpu.load("matmul_cpu/11_read")(a, out, size, times)
    np.testing.assert_allclose(out, times * a.astype(float).reshape(-1, 128).sum(0), rtol=1e-5)


@pytest.mark.parametrize("variant", STEPS)
def test_every_step_is_right_as_a_kernel_of_one_thread(variant):
    a, b, given, rest = arguments(variant, 9, 17, 11)
    c = cp.full((9, 17), np.nan, np.float32)
    rest = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in rest]
    kernel.load(variant, **SMALL.get(variant, {}))(1, 1, cp.asarray(a), cp.asarray(given), c, *rest)
    np.testing.assert_allclose(cp.asnumpy(c), a.astype(float) @ b, rtol=1e-5)


@pytest.mark.parametrize("size", [1, 16, 1000])
def test_empty_begins_at_a_line(size):
    some = cpu.empty(size)
    assert (some.shape, some.dtype, some.ctypes.data % 64) == ((size,), np.float32, 0)


@compiled
def test_defines_and_flags_reach_the_compiler():
    a, b, _, sizes = arguments("matmul_cpu/04_register_tile", 9, 17, 5)
    for defines in ({"V1": 2, "V2": 4}, {"V1": 1, "V2": 1}):
        c = np.full((9, 17), np.nan, np.float32)
        cpu.load("matmul_cpu/04_register_tile", ("-O1",), **defines)(a, b, c, *sizes)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_a_define_that_is_true_is_1():
    function = cpu.load("matmul_cpu/04_register_tile", V1=True, V2=np.True_)
    assert function.options == ("-DV1=1", "-DV2=1")
    assert function.define_values() == {"V1": "1", "V2": "1"}
    a, b, _, sizes = arguments("matmul_cpu/04_register_tile", 9, 17, 5)
    c = np.full((9, 17), np.nan, np.float32)
    function(a, b, c, *sizes)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


@compiled
def test_a_function_has_attributes(vanilla):
    assert vanilla.attributes["max_threads_per_block"] == 1
    assert vanilla.attributes["shared_size_bytes"] == 0


def test_without_a_compiler_it_has_those_of_the_kernel(none):
    assert cpu.load("matmul_cpu/01_vanilla").attributes["max_threads_per_block"] == 1024


def test_an_unknown_name_is_refused():
    with pytest.raises(LookupError, match="no kernel 'matmul_cpu/99_none'"):
        cpu.load("matmul_cpu/99_none")
    with pytest.raises(LookupError, match="no define 'V9'. It has: V1, V2"):
        cpu.load("matmul_cpu/04_register_tile", V9=1)


@compiled
def test_the_compilers_log_has_the_files_name_and_line(tmp_path):
    text = source.find("matmul_cpu/01_vanilla").read_text(encoding="utf-8")
    (tmp_path / "slip.cu").write_text(text.replace("acc += a", "acc += aa"), encoding="utf-8")
    line = text[: text.index("acc += a")].count("\n") + 1
    with pytest.raises(nvrtc.CompileError, match=rf"slip.cu:{line}:.*error"):
        cpu.Function(source.parse(tmp_path / "slip.cu"), "slip", {})


F, INTS = np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int32)
REFUSED = [
    ((F, F, F, 2, 2), TypeError, r"takes 6 arguments \(a, b, c, m, n, k\), but got 5"),
    (
        (F, INTS, F, 2, 2, 2),
        TypeError,
        r"'b' is declared float\*, but the array holds int32.*astype",
    ),
    ((F, F.T, F, 2, 2, 2), ValueError, "'b' is a strided view.*np.ascontiguousarray"),
    (([1.0], F, F, 2, 2, 2), TypeError, "'a' is a pointer into the host's memory, but got list"),
    ((F, F, F, 2.5, 2, 2), TypeError, "'m' is declared int, but got 2.5"),
    ((F, F, F, 2**40, 2, 2), ValueError, "'m' is declared int .*Use a smaller value"),
    ((F, F, F, F, 2, 2), TypeError, "'m' is declared int, but got"),
]


@pytest.mark.parametrize("args, kind, said", REFUSED, ids=range(len(REFUSED)))
def test_wrong_arguments_are_refused_and_the_remedy_is_said(vanilla, args, kind, said):
    with pytest.raises(kind, match=said):
        vanilla(*args)


@pytest.mark.skipif(not GPU, reason="needs an array on a GPU")
def test_an_array_on_the_gpu_is_refused(vanilla):
    with pytest.raises(TypeError, match="cp.asnumpy"):
        vanilla(cp.zeros((2, 2), cp.float32), F, F, 2, 2, 2)


def test_without_a_compiler_the_emulator_runs_and_says_what_to_install(none):
    a, b, _, sizes = arguments("matmul_cpu/01_vanilla", 3, 5, 7)
    c = np.full((3, 5), np.nan, np.float32)
    function = cpu.load("matmul_cpu/01_vanilla")
    function(a, b, c, *sizes)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    table = cpu.bench(flops=1, ours=function.bind(a, b, c, *sizes), numpy=lambda: a @ b)
    assert table.loc["ours"].isna().all() and table.loc["numpy"].notna().all()
    assert "looked for no-such-compiler" in cpu.machine() and "apt install g++" in cpu.machine()


@compiled
def test_bench_times_every_contestant(vanilla):
    a, b, _, sizes = arguments("matmul_cpu/01_vanilla", 50, 33, 21)
    bound = vanilla.bind(a, b, np.zeros((50, 33), np.float32), *sizes)
    table = cpu.bench(flops={"one": 1e6, "two": 2e6}, one=bound, two=lambda: (bound(), bound()))
    assert list(table.index) == ["one", "two"]
    assert (table.ms > 0).all() and (table.p20_ms <= table.ms).all()
    assert table.gflop_per_s["one"] == pytest.approx(1 / table.ms["one"], rel=1e-3)
    assert "gflop_per_s" not in cpu.bench(one=bound)


def test_bench_needs_contestants():
    with pytest.raises(TypeError, match="needs contestants"):
        cpu.bench(flops=1)


def test_a_bound_call_keeps_its_arrays_alive(vanilla):
    c = np.full((2, 2), np.nan, np.float32)
    run = vanilla.bind(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32), c, 2, 2, 2)
    run()
    assert (c == 2).all()


def test_a_time_is_claimed_only_where_there_is_a_gpu():
    assert np.isnan(cpu.measured(1.0)) != GPU


def test_machine_and_cores():
    assert cpu.cores() >= 1 and str(cpu.cores()) in cpu.machine() or cpu.compiler() is None


def test_the_blas_is_timed_in_a_process_of_its_own():
    assert cpu.blas_gflop_per_s(16) > 0

"""The launch on a GPU: what has been checked once is launched again at once. CuPy is planted."""

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from warpbook.launch import arguments, kernel, observers, on_gpu, tensor_maps

SOURCE = """\
// Launch:   block (64), grid (ceil(n/64)), shared_bytes %s
// Assumes:  n a multiple of 4
extern "C" __global__
void demo_scale(const float4* in, float* out, int n, float offset) {}
"""
MAPPED = """\
// Launch:   block (64), grid (1)
// Maps:     in in boxes (8); float32, swizzle none
extern "C" __global__
void demo_scale(const __grid_constant__ TensorMap in, float* out, int n) {}
"""


class Array(np.ndarray):
    """A CuPy array, as far as a launch looks at one."""

    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)


class Raw:
    """cupy.RawKernel, which notes its launches."""

    attributes = {"max_threads_per_block": 1024, "shared_size_bytes": 0}

    def __init__(self, *_, **__):
        self.launches, self.allowed = [], []

    def compile(self):
        pass

    def __call__(self, grid, block, args, *, shared_mem):
        self.launches.append((grid, block, [kept(a) for a in args], shared_mem))

    def __setattr__(self, name, value):
        if name == "max_dynamic_shared_size_bytes":
            self.allowed.append((DEVICE[0], value))
        else:
            super().__setattr__(name, value)


DEVICE = [0]  # the current one


def kept(value):
    """An argument by its address or its bytes: a launch's record keeps no array."""
    if isinstance(value, Array):
        return value.ctypes.data
    return value.dtype.str, value.tobytes()


def array(n, dtype=np.float32):
    aligned = np.zeros(4 * n + 64, dtype).view(Array)
    begin = -aligned.ctypes.data % 64 // aligned.itemsize
    return aligned[begin : begin + n]


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads a text as on a GPU."""
    cuda = SimpleNamespace(
        runtime=SimpleNamespace(getDevice=lambda: DEVICE[0]),
        compiler=SimpleNamespace(CompileException=RuntimeError),
    )
    fake = SimpleNamespace(ndarray=Array, RawKernel=Raw, cuda=cuda)
    monkeypatch.setattr(on_gpu, "cp", fake)
    monkeypatch.setattr(kernel, "GPU", True)
    DEVICE[0] = 0

    def loaded(text):
        path = tmp_path / "demo.cu"
        path.write_text(text, encoding="utf-8")
        return kernel.load_path(path)

    return loaded


@pytest.fixture
def checks(monkeypatch):
    """How often arguments were checked."""
    made, convert = [], arguments.convert
    monkeypatch.setattr(arguments, "convert", lambda *given: made.append(1) or convert(*given))
    return made


@pytest.mark.parametrize("call", ["run", "grid"])
def test_what_was_checked_once_is_only_launched(load, checks, call):
    scale, x, y, z = load(SOURCE % 0), array(64), array(64), array(64)

    def launch(*args):
        return scale.run(*args) if call == "run" else scale((2,), 64, *args)

    for out in (y, y, z):  # z is another array of the same kind
        returned = launch(x, out, 64, 1.5)
        assert returned is (out if call == "run" else None)
    assert len(checks) == 1
    first, again, other = scale._run.raw.launches
    assert first == again
    assert (first[0], first[1], first[3]) == ((1 if call == "run" else 2,), (64,), 0)
    number, half = ("<i4", np.int32(64).tobytes()), ("<f4", np.float32(1.5).tobytes())
    assert first[2] == [x.ctypes.data, y.ctypes.data, number, half]
    assert other[2] == [x.ctypes.data, z.ctypes.data, number, half]


OTHERS = {
    "another size": lambda x, y: (x, y, 32, 1.5),
    "a NumPy number": lambda x, y: (x, y, np.int64(64), 1.5),
    "minus zero": lambda x, y: (x, y, 64, -0.0),
    "zero": lambda x, y: (x, y, 64, 0.0),
    "True": lambda x, y: (x, y, 64, True),
    "no multiple": lambda x, y: (x, y, 63, 1.5),
    "a fraction": lambda x, y: (x, y, 64.5, 1.5),
    "too large": lambda x, y: (x, y, 2**32 + 64, 1.5),
    "a complex number": lambda x, y: (x, y, 64, 1.5 + 0j),
    "a text": lambda x, y: (x, y, 64, "1.5"),
    "a list": lambda x, y: (x, [0.0], 64, 1.5),
    "NumPy's array": lambda x, y: (x, np.asarray(y), 64, 1.5),
    "another dtype": lambda x, y: (x, array(64, np.float64), 64, 1.5),
    "the same bytes": lambda x, y: (x, y.view(np.int32), 64, 1.5),
    "strided": lambda x, y: (x, array(128)[::2], 64, 1.5),
    "misaligned": lambda x, y: (array(65)[1:], y, 64, 1.5),
    "too few": lambda x, y: (x, y, 64),
    "left out": lambda x, y: (kernel.NotRun("no"), y, 64, 1.5),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_differs_is_checked_as_in_a_first_launch(load, monkeypatch, case):
    monkeypatch.setattr(arguments.cp, "ndarray", Array)
    args = OTHERS[case](array(64), array(64))

    def outcome(scale):
        try:
            return repr(scale.run(*args)), scale._run.raw.launches[-1:]
        except (TypeError, ValueError) as error:
            return repr(error), None

    warm = load(SOURCE % 0)
    for offset in (0, 0.0, -0.0, 1, 1.5):
        warm.run(array(64), array(64), 64, offset)
    first, again = outcome(load(SOURCE % 0)), outcome(warm)
    if case == "left out":
        assert first[0] == again[0] == "no"
    else:
        assert first == again


@pytest.mark.parametrize(
    "grid, block, error", [([2], [64], None), ((2,), 2048, "2048"), (0, 64, "grid.x is 0")]
)
def test_another_grid_is_checked_too(load, grid, block, error):
    scale, x, y = load(SOURCE % 0), array(64), array(64)
    scale((2,), (64,), x, y, 64, 1.5)
    if error:
        with pytest.raises(ValueError, match=error):
            scale(grid, block, x, y, 64, 1.5)
    else:
        scale(grid, block, x, y, 64, 1.5)
        first, second = scale._run.raw.launches
        assert first == second


def test_a_second_device_is_asked_for_its_shared_memory(load, capsys):
    scale, x, y = load(SOURCE % "60000"), array(64), array(64)
    for device in (0, 0, 1, 1, 0):
        DEVICE[0] = device
        scale.run(x, y, 64, 1.5)
    assert scale._run.raw.allowed == [(0, 60000), (1, 60000)]


def test_a_launch_keeps_no_array(load):
    scale, x, y = load(SOURCE % 0), array(64), array(64)
    gone = weakref.ref(y)
    for _ in range(2):
        scale.run(x, y, 64, 1.5)
    del y
    gc.collect()
    assert gone() is None


def test_launches_are_forgotten_before_they_are_many(load, monkeypatch):
    monkeypatch.setattr(kernel, "REMEMBERED", 8)
    scale, x, y = load(SOURCE % 0), array(64), array(64)
    for n in range(4, 400, 4):
        scale.run(x, y, n, 1.5)
        assert len(scale._checked) <= 8


def test_a_repeated_launch_is_observed(load):
    scale, x, y = load(SOURCE % 0), array(64), array(64)
    scale.run(x, y, 64, 1.5)
    with observers.observed() as reports:
        scale.run(x, y, 64, 1.5)
    assert reports == [observers.Launched("")]


def test_a_map_is_made_once_for_each_array(load, monkeypatch):
    made, tensor_map = [], tensor_maps.tensor_map

    def counted(value, *given, **named):
        made.append(value)
        return tensor_map(np.asarray(value), *given, **named)

    monkeypatch.setattr(tensor_maps, "tensor_map", counted)
    copy, x, z, y = load(MAPPED), array(64), array(64), array(64)
    for given in (x, x, z, x, x.reshape(8, 8)[0], z[:32]):
        copy.run(given, y, 64)
        assert len(copy.mapped) == 1 and copy.mapped[0] is given
    assert [len(a) for a in made] == [64, 64, 8, 32]
    maps = [launch[2][0] for launch in copy._run.raw.launches]
    assert maps[0] == maps[1] == maps[3] != maps[2]

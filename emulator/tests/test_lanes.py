"""Groups of lanes read and write registers as an array of all lanes says, whatever the layout."""

import numpy as np
import pytest

from warpemu.lanes import Lanes

BLOCKS, THREADS = 3, 8


def masks():
    """Lanes of each kind of group: everyone, rectangles by slices and by indices, a list."""
    everyone = np.ones((BLOCKS, THREADS), bool)
    some = {"everyone": everyone, "rows": everyone.copy(), "columns": everyone.copy()}
    some["rows"][1] = False
    some["columns"][:, 2:5] = False
    some |= {"slice": ~some["columns"], "both": some["rows"] & some["columns"]}
    some["list"] = np.arange(BLOCKS * THREADS).reshape(BLOCKS, THREADS) % 5 < 2
    return some


def layouts(shape):
    """Arrays of one shape with the same values, whose elements lie in different orders."""
    value = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    wide = np.zeros((*shape, 2), np.int32)
    wide[..., 0] = value
    return [value, np.asfortranarray(value), value[::-1, ::-1].copy()[::-1, ::-1], wide[..., 0]]


@pytest.mark.parametrize("name", masks())
@pytest.mark.parametrize("shape", [(BLOCKS, THREADS), (1, THREADS), (BLOCKS, 1)])
def test_a_group_reads_and_writes_arrays_of_any_layout(name, shape):
    mask = masks()[name]
    group = Lanes(BLOCKS, THREADS).select(mask)
    for value in layouts(shape):
        every = np.broadcast_to(value, mask.shape).copy()
        for old in [np.int32(7), *layouts(mask.shape)]:
            new = group.read(np.ascontiguousarray(value))
            assert new.flags.c_contiguous
            assert (np.broadcast_to(new, group.shape).reshape(-1) == every[mask]).all()
            new = np.asfortranarray(new + np.int32(100))
            want = np.where(mask, every + 100, old)
            got = group.write(old.copy(), new)
            assert got.flags.c_contiguous
            assert (got == want).all()


def test_every_register_is_contiguous(compiled, monkeypatch):
    """Whatever the layout of what operations give: here all of it is in Fortran order."""
    k = compiled("""
    extern "C" __global__ void k(int* o, const int* in) {
        int i = blockIdx.x * 32 + threadIdx.x, x = in[i], v = x * 3;
        if (x > 10) { o[i] = 1; if (x > 20) { o[i] = 2; v = x; } }
        o[i] += v;
    }""")
    seen = []
    for block in k.blocks:
        monkeypatch.setattr(block, "run", in_fortran_order(block.run, seen))
    x = (np.arange(96, dtype="i4") * 7) % 41
    o = np.zeros_like(x)
    k.launch((3,), (32,), [o, x], not_on_gpu="the emulator's blocks are replaced")
    assert (o == np.select([x > 20, x > 10], [x + 2, 3 * x + 1], 3 * x)).all()
    assert seen, "no register was in Fortran order"


def in_fortran_order(run, seen):
    """A block's function, which gives its registers in Fortran order and asks for the other."""

    def other(state, group, *values):
        assert all(value.flags.c_contiguous for value in values)
        branch, results = run(state, group, *values)
        results = [np.asfortranarray(r) if np.ndim(r) else r for r in results]
        seen.extend(r for r in results if np.ndim(r) and not r.flags.c_contiguous)
        return branch, results

    return other

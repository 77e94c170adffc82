"""What rows of addresses touch is kept while they move on together, and is what they touch anew."""

from types import SimpleNamespace

import numpy as np
import pytest

from warpemu.counters import MISSES, Tally, touched


@pytest.fixture
def tally():
    return Tally(SimpleNamespace(instructions=range(3), blocks=range(1)))


def same(one, other):
    return (one[0] == other[0]).all() and one[1] == other[1]


@pytest.mark.parametrize("lanes", [1, 32])
def test_rows_that_move_together(tally, lanes):
    rng = np.random.default_rng(lanes)
    base = rng.integers(1 << 20, 1 << 21, (40, lanes)) * 4
    for by in (0, 4, 32, 36, 4, -28, 1024, 3, -4096, *(rng.integers(-9999, 9999, 40).tolist())):
        rows = base + by
        assert same(tally.pattern(SimpleNamespace(index=0), rows), touched(rows))


def test_rows_that_do_not(tally):
    rng = np.random.default_rng(7)
    for step in range(60):
        shape = (int(rng.integers(1, 5)), 32)
        rows = np.broadcast_to(rng.integers(0, 4096, shape) * 4, shape).copy()
        number = SimpleNamespace(index=int(step % 2))
        assert same(tally.pattern(number, rows), touched(rows))
        rows = rows.copy()  # those given before are kept
        rows[0, 5] += 4  # all but one move together
        assert same(tally.pattern(number, rows + 64), touched(rows + 64))
    assert tally.patterns[0][2] >= MISSES, "nobody looks any more"

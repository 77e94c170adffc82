"""poisoned and check."""

import numpy as np
import pytest

from warpbook.measure.checks import check, poisoned


def test_poison_never_passes():
    for dtype in ("f4", "f8", "f2", "i4", "u1"):
        with pytest.raises(AssertionError):
            check(poisoned(3, np.dtype(dtype)), np.zeros(3, dtype))


def test_bool_cannot_be_poisoned():
    with pytest.raises(TypeError, match="integer dtype"):
        poisoned(3, bool)


def test_check_accepts_rounding():
    check(np.float32([1, 2, 3]), [1, 2, 3.00001])


def test_check_counts_and_shows_the_first():
    got = np.ones((3, 4), np.float32)
    got[1, 2], got[2, 0] = 5, 6
    with pytest.raises(AssertionError, match=r"2 of 12 .*First at \[1, 2\]: got 5.0, want 1.0"):
        check(got, np.ones((3, 4)))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_never_pass(wrong):
    with pytest.raises(AssertionError, match="1 of 2"):
        check(np.float32([1, wrong]), [1, 1])


@pytest.mark.parametrize("got", [np.nan, 1, -np.inf])
def test_where_infinity_is_wanted_nothing_else_passes(got):
    with pytest.raises(AssertionError, match="1 of 2"):
        check(np.float32([1, got]), [1, np.inf])


def test_same_nan_and_infinity_are_equal():
    check(np.float32([np.nan, np.inf]), [np.nan, np.inf])


def test_check_compares_shapes():
    with pytest.raises(AssertionError, match="shapes differ"):
        check(np.zeros(3), np.zeros((3, 1)))


def test_integers_are_compared_exactly():
    with pytest.raises(AssertionError, match="1 of 1"):
        check(np.int64([2**60]), np.int64([2**60 + 1]))

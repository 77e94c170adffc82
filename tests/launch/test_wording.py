"""Numbers in sentences."""

import math

import pytest

from warpbook.launch.wording import counted, number


@pytest.mark.parametrize(
    "value, text",
    [
        (268435456, "268,435,456"),
        (1.31251, "1.313"),
        (4.0, "4"),
        (12345.6, "12,350"),
        (0.00012344, "0.0001234"),
        (-2.5, "-2.5"),
        (math.nan, "nan"),
        (math.inf, "inf"),
    ],
)
def test_a_number_has_four_figures_and_a_whole_one_all(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    "count, thing, text",
    [
        (1, "sector", "1 sector"),
        (0, "sector", "0 sectors"),
        ("1", "pass", "1 pass"),
        ("3.5", "pass", "3.5 passes"),
    ],
)
def test_of_one_thing_there_is_no_plural(count, thing, text):
    assert counted(count, thing) == text

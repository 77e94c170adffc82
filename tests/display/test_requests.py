"""Pictures of requests: they count as the profiler does, and say so in words."""

import numpy as np
import pytest
from emulator_helpers import random_request
from helpers import texts

from warpbook.display import requests
from warpbook.display.requests import draw_banks, draw_sectors
from warpemu import rules


@pytest.mark.parametrize(
    "stride, moved, share", [(1, 4, 100), (2, 8, 50), (4, 16, 25), (32, 32, 12.5)]
)
def test_sectors_counts_as_the_profiler_does(stride, moved, share):
    alt = draw_sectors([4096 + 4 * stride * lane for lane in range(32)]).alt
    assert f"{moved} sectors of 32 bytes, {share} % of the bytes used" in alt
    assert f"32 lanes of a warp ask memory for 4 bytes each, {4 * stride} bytes apart" in alt


def test_sectors_of_a_shifted_a_wide_and_a_broadcast_request():
    assert "5 sectors of 32 bytes, 80 %" in draw_sectors([4 * i + 4 for i in range(32)]).alt
    assert "16 sectors of 32 bytes, 100 %" in draw_sectors([16 * i for i in range(32)], 16).alt
    one = draw_sectors([64] * 32)
    assert "all at one address: 1 sector of 32 bytes, 12.5 %" in one.alt and "0+" in texts(one)


def test_idle_lanes_ask_for_nothing():
    figure = draw_sectors([None] * 24 + [4 * i for i in range(24, 32)])
    assert "8 lanes" in figure.alt and "1 sector of 32 bytes, 100 %" in figure.alt
    assert "24" in texts(figure) and "23" not in texts(figure)


def test_many_lines_are_counted_and_not_all_drawn():
    assert "and 24 more lines" in texts(draw_sectors([128 * i for i in range(32)]))


@pytest.mark.parametrize("stride, wavefronts", [(1, 1), (2, 2), (3, 1), (4, 4), (32, 32), (33, 1)])
def test_banks_counts_as_the_profiler_does(stride, wavefronts):
    alt = draw_banks([4 * stride * lane for lane in range(32)]).alt
    way = "no bank conflict" if wavefronts == 1 else f"{wavefronts}-way bank conflict"
    assert f"{wavefronts} wavefront" in alt and way in alt


@pytest.mark.parametrize("bytes_each, wavefronts", [(4, 1), (8, 2), (16, 4)])
def test_wide_accesses_take_a_pass_for_each_part_of_the_warp(bytes_each, wavefronts):
    alt = draw_banks([bytes_each * lane for lane in range(32)], bytes_each).alt
    assert f"{wavefronts} wavefront" in alt and "no bank conflict" in alt


def test_neighbours_that_share_an_address_halve_the_passes():
    assert "2 wavefronts, no bank" in draw_banks([16 * (lane // 2) for lane in range(32)], 16).alt
    assert "1 wavefront, no bank" in draw_banks([0] * 32).alt


@pytest.mark.parametrize("draw", [draw_sectors, draw_banks])
def test_what_is_no_request_of_a_warp_is_refused(draw):
    with pytest.raises(ValueError, match="1 to 32 addresses, not 33"):
        draw([4 * i for i in range(33)])
    with pytest.raises(ValueError, match="0 are in use"):
        draw([None] * 32)
    with pytest.raises(ValueError, match="multiple of that size"):
        draw([2], 4)


def test_the_picture_and_the_count_agree(monkeypatch):
    monkeypatch.setattr(requests, "figure_of", lambda draw, alt, **_: alt)
    rng = np.random.default_rng(1)
    for _ in range(4000):
        addresses, size, present, load = random_request(rng)
        rows = np.where(present, addresses, addresses[present][0])[None]
        cost, passes = (int(n[0]) for n in rules.wavefronts(rows, size, present[None], load))
        drawn = [int(a) if on else None for a, on in zip(addresses, present, strict=True)]
        alt = requests.draw_banks(drawn, size, store=not load)
        assert f": {cost} wavefront{'s' if cost > 1 else ''}, " in alt, (drawn, size, load, alt)
        extra = cost - passes
        assert (f"{extra} wavefront" in alt) == bool(extra), (drawn, size, load, alt)

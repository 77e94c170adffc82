"""The examination: its numbers worked out again, and nothing of it where students look."""

import math
import re

import numpy as np
import pytest
from helpers import BOOK, ROOT

from warpbook import occupancy
from warpbook.grading.release import KEPT_BACK
from warpemu import rules

PAPER, SOLUTIONS = (
    (BOOK / "exam" / f"{name}.md").read_text(encoding="utf-8") for name in ("paper", "solutions")
)
LANES = np.arange(32)


def questions(text):
    """{number: text} of what begins with '**3. Two rates'."""
    parts = re.split(r"^\*\*(\d+)\. ", text, flags=re.M)[1:]
    return {int(number): part for number, part in zip(parts[::2], parts[1::2], strict=True)}


def said(number):
    """The numbers in bold of a solution, behind its title."""
    part = questions(SOLUTIONS)[number].partition("**")[2]
    return [float(x.replace(",", "")) for x in re.findall(r"\*\*([\d.,]+)\*\*", part)]


def sectors(index):
    return int(rules.distinct((4 * index >> rules.SECTOR)[None])[1].sum())


def wavefronts(words):
    """The most different words that lanes want of one bank."""
    return max(len(set(words[words % 32 == bank])) for bank in range(32))


def threads():
    blocks = math.ceil(50_000 / 192)
    i = np.arange(blocks * 192).reshape(-1, 32)
    some, every = (i < 50_000).any(1), (i < 50_000).all(1)
    return [blocks, blocks * 192 - 50_000, int((some & ~every).sum()), int((~some).sum())]


def places():
    sizes = (256, 72, 24 * 1024), (256, 64, 24 * 1024), (128, 72, 12 * 1024)
    return [100 * occupancy(*size, capability=(8, 0)).share for size in sizes]


def waves():
    times = {n: 2 * math.ceil(n / 240) for n in (480, 481)}
    return [*times.values(), round(100 * 481 * 2 / (240 * times[481]), 1)]


ANSWERS = {
    1: threads,
    2: lambda: [sectors(i) for i in (LANES + 3, 5 * LANES, LANES // 4, 31 - LANES)],
    3: lambda: [60 * 128 * 2 * 1.5, 60 * 128 * 2 * 1.5 / 800, 1.6e9 / 800e6,
                round(40e8 / 23_040e6, 2), 100 * 2 / 2.5],
    4: lambda: [800 * 600 / 60, math.ceil(8000 / (1536 * 4))],
    5: lambda: [wavefronts(row * LANES) for row in (32, 36, 33, 40)] + [wavefronts(0 * LANES)],
    6: places,
    7: waves,
    8: lambda: [4 * 50, 4 * 4 * 50, 4 * 50],
    9: lambda: [2 * 2048**3, 2 * 2048**3 / 32, 2 * 2048**3 / 128, 16 / 64, 2],
}  # fmt: skip


@pytest.mark.parametrize("number", ANSWERS)
def test_the_solutions_numbers_are_right(number):
    assert said(number) == pytest.approx(ANSWERS[number]())


def test_every_question_has_its_solution_and_all_points():
    asked, solved = questions(PAPER), questions(SOLUTIONS)
    assert list(asked) == list(solved) == list(range(1, 11))
    points = {
        number: int(re.search(r"\((\d+) points\)", text)[1]) for number, text in asked.items()
    }
    assert sum(points.values()) == 90 and PAPER.count("90 points") == 1
    for number, text in solved.items():
        each = re.findall(r"\((\d) each\)", text)
        given = 5 * int(each[0]) if each else sum(map(int, re.findall(r"\((\d)\)", text)))
        assert given == points[number], number


def test_neither_is_on_the_site_or_in_an_edition_for_students():
    assert {"book/exam/paper.md", "book/exam/solutions.md"} <= set(KEPT_BACK)
    assert "exam" not in (ROOT / "_toc.yml").read_text(encoding="utf-8")
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    assert "only_build_toc_files: true" in config

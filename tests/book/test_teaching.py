"""The teacher's guide: what its tables are made of is there."""

import json
import re
import sys

import pytest
from helpers import BOOK, ROOT, module

from warpbook.__main__ import _parser
from warpbook.grading import exercises

PAGE = (BOOK / "teaching.md").read_text(encoding="utf-8")
LESSONS = re.split(r"^## (?=Lesson)", PAGE.partition("\n## Marks for all")[0], flags=re.M)[1:]


@pytest.fixture(scope="module")
def teaching():
    """The extension, as the builder loads it."""
    sys.path.insert(0, str(BOOK / "_ext"))
    try:
        yield module(BOOK / "_ext" / "teaching.py")
    finally:
        sys.path.remove(str(BOOK / "_ext"))


@pytest.fixture(scope="module")
def filled(teaching):
    return teaching.filled(PAGE, BOOK)


def test_every_table_is_made(filled):
    assert not re.search(r"^%", filled, re.M) and "| Show | What the figure says |" in filled
    assert all("% mistakes in " in lesson for lesson in LESSONS) and len(LESSONS) == 6
    assert filled.count("\n| Mistake in `") == PAGE.count("\n% mistakes in ") > 6


def test_a_lesson_takes_ninety_minutes():
    tables = re.findall(r"^\| Minutes \| .+\n.+\n((?:\| .+\n)+)", PAGE, re.M)
    minutes = [sum(map(int, re.findall(r"^\| (\d+) \|", table, re.M))) for table in tables]
    assert minutes == [90] * len(minutes) and len(minutes) == PAGE.count("*After it they can*") > 6


def test_the_numbers_are_the_results(filled):
    folders = sorted((BOOK / "results").glob("*/stamps.json"))
    names = {
        stamp["gpu"]
        for path in folders
        for stamp in json.loads(path.read_text(encoding="utf-8")).values()
    }
    heads = re.findall(r"^\| What the page measures \| (.*) \|$", filled, re.M)
    assert len(heads) >= 6
    assert all(set(head.split(" | ")) <= names for head in heads)
    assert re.search(r"^\| 1,024 threads are … times as fast .*\| ✓ \d\d \|", filled, re.M)


def test_exercises_and_commands_are_there():
    named = set(re.findall(r"`(\w+/\w+)`", PAGE))
    topics = {name.split("/")[0] for name in exercises.exercises()}
    assert {n for n in named if n.split("/")[0] in topics} <= set(exercises.exercises())
    commands = next(a for a in _parser()._actions if a.dest == "command").choices
    assert set(re.findall(r"python -m warpbook (\w+)", PAGE)) <= set(commands)
    options = re.findall(r"`(--[\w-]+)", PAGE)
    texts = " ".join(
        parser.format_help()
        for action in commands["class"]._actions
        if action.dest == "action"
        for parser in action.choices.values()
    )
    assert [option for option in options if option not in texts] == []
    for name in re.findall(r"`(tools/[\w.]+)`", PAGE):
        assert (ROOT / name).is_file()


# The plans and the table of counts.


def rows(heading):
    """The cells of the rows of the plan below a heading."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = re.search(r"^% plan of .+:\n((?:%   .*\n)+)", part, re.M)[1]
    return [line.removeprefix("%   ").split(" | ") for line in table.splitlines()]


@pytest.fixture(scope="module")
def chapters(teaching):
    return {chapter.slug: chapter for chapter in teaching.reference.chapters(BOOK)}


@pytest.mark.parametrize(
    "heading, columns", [("A term of fourteen weeks", (1, 2)), ("Two days", (1,))]
)
def test_a_plan_names_every_chapter(chapters, heading, columns):
    named = [
        slug for row in rows(heading) for column in columns for slug in row[column].split(", ")
    ]
    assert set(named) == set(chapters)


def test_the_term_has_fourteen_weeks_in_an_order_that_can_be_read(chapters):
    plan = rows("A term of fourteen weeks")
    assert [row[0] for row in plan] == [str(week) for week in range(1, 15)]
    known = set()
    for week, lecture, reading, _ in plan:
        slugs = f"{lecture}, {reading}".split(", ")
        assert known.isdisjoint(slugs), f"week {week} has a chapter a second time"
        known |= set(slugs)
        numbers = {chapters[slug].number for slug in known}
        for slug in slugs:
            assert set(chapters[slug].before[0]) <= numbers, (
                f"{slug} in week {week} comes too early"
            )


def test_the_homework_is_there():
    homework = ", ".join(row[3] for row in rows("A term of fourteen weeks")[:-1]).split(", ")
    assert set(homework) <= set(exercises.exercises()) and len(set(homework)) == len(homework)


def test_a_plans_minutes_are_the_pages(teaching, chapters):
    made = teaching.plan("When | What", ["1 | coalescing, measure"], chapters.values())
    minutes = chapters["coalescing"].front[0] + chapters["measure"].front[0]
    assert made.splitlines()[-1] == (
        f"| 1 | [5 coalescing](05_coalescing.ipynb), [3 measure](03_measure.ipynb) | {minutes} |"
    )


def test_counts_are_the_emulators_and_the_share_is_that_of_each_gpu(teaching):
    """16 sectors of a stride of 4; a column of 32 in one bank beside a row: (32 + 1) / 2."""
    made = teaching.counts(
        ["coalescing/01_four STRIDE=4 n=4096", "transpose/02_tiled rows=64 cols=64"]
    ).splitlines()
    assert made[0].count("T4") == made[0].count("H200") == 1
    assert made[2].endswith("| 16 | 4 | none | 100 % | 100 % |")
    assert made[3].endswith("| 4 | 4 | 16.5 | 100 % | 100 % |")
    large = teaching.counts(["matmul/08_thread_2d m=128 n=128 k=16 alpha=1 beta=0"])
    assert "| 50 % | 25 % |" in large


# Planted faults.


@pytest.mark.parametrize(
    "block, said",
    [
        ("% claims of coalescing:\n%   No such sentence\n", "0 claims of coalescing begin with"),
        ("% claims of coalescing:\n%   A\n", "claims of coalescing begin with 'A'"),
        ("% mistakes in vector_add/deal:\n%   none: x\n", "there is no .*WRONG none: .*deal.cu"),
        ("% live:\n%   sectors strid=3\n", "has no 'strid'"),
        ("% live:\n%   sectors stride=99\n", "stride is a whole number from 0 to 32"),
    ],
)
def test_what_is_not_there_is_found(teaching, block, said):
    with pytest.raises((TypeError, ValueError), match=said):
        teaching.filled(block, BOOK)


def test_an_edition_without_tests_keeps_the_lessons(teaching, tmp_path):
    (tmp_path / "book" / "results").mkdir(parents=True)
    block = "% mistakes in vector_add/deal:\n%   one_round: Go on.\n"
    assert "| One round | Go on. |" in teaching.filled(block, tmp_path / "book")

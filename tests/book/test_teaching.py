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
    assert filled.count("\n| Mistake in `") == len(LESSONS) == 6


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

"""The list of statements that were corrected: complete, and true of the pages."""

import csv
import json
import re

import pytest
from helpers import BOOK, unlinked

COLUMNS = ["chapter", "cell", "said", "says", "control", "status"]
STATUSES = {"corrected", "withdrawn", "named as likely"}
LITERALS = re.compile(r'"\s*\n\s*"')  # where one string ends and its continuation begins


def flat(text):
    """Text with every run of white space as one space."""
    return " ".join(text.split())


def words(chapter, book=BOOK):
    """What a page says, in prose and in code; a string on several lines is one string."""
    path = book / f"{chapter}.ipynb"
    if not path.exists():
        return flat((book / f"{chapter}.md").read_text(encoding="utf-8"))
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join(LITERALS.sub("", "".join(cell["source"])) for cell in cells)
    return flat(unlinked(text))


def statements():
    with open(BOOK / "validation" / "statements.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def faults(row, page):
    """What is wrong with a row, beside what its page says now."""
    found = [f"no {name}" for name in COLUMNS if not (row.get(name) or "").strip()]
    if row["status"] not in STATUSES:
        found.append(f"status {row['status']}")
    if flat(row["said"]) in page:
        found.append("the page still says it")
    if row["status"] != "withdrawn" and flat(row["says"]) not in page:
        found.append("the page does not say it")
    if f"# {row['cell']}" not in page:
        found.append("no such heading")
    return found


def test_every_row_is_complete_and_true_of_its_page():
    pages = {row["chapter"]: words(row["chapter"]) for row in statements()}
    wrong = {}
    for row in statements():
        if found := faults(row, pages[row["chapter"]]):
            wrong[f"{row['chapter']}: {row['said'][:60]}"] = found
    assert wrong == {}


VALUES = ["01", "Step", "It flies.", "It runs.", "a race", "corrected"]
GOOD = dict(zip(COLUMNS, VALUES, strict=True))


@pytest.mark.parametrize(
    "change, page, found",
    [
        ({}, "## Step It runs.", []),
        ({"control": ""}, "## Step It runs.", ["no control"]),
        ({"status": "open"}, "## Step It runs.", ["status open"]),
        ({}, "## Step It runs. It flies.", ["the page still says it"]),
        ({}, "## Step It walks.", ["the page does not say it"]),
        ({"status": "withdrawn"}, "## Step It walks.", []),
        ({}, "It runs.", ["no such heading"]),
    ],
)
def test_a_planted_fault_is_found(change, page, found):
    assert faults(GOOD | change, page) == found


def test_a_claim_on_several_lines_is_read_as_one_sentence(tmp_path):
    cell = {"source": ['claim("It is {x} "\n', '      "times as fast")']}
    (tmp_path / "01.ipynb").write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    assert "It is {x} times as fast" in words("01", tmp_path)

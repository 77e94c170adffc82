"""What the repository says of itself: its commands, rooms, tools and folders exist; one version."""

import json
import re
import tomllib

import pytest
import yaml
from helpers import ROOT

import warpbook
from warpbook.__main__ import _parser

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
# Files that a step of 'how to add' makes, and placeholders in a name.
MADE = re.compile(r"<|NN_|^book/results/|^work/book/$")


def commands():
    """The commands of python -m warpbook."""
    (action,) = (a for a in _parser()._actions if a.dest == "command")
    return sorted(action.choices)


def table(head):
    """The first column's code words of the table that begins with a head."""
    rows = CONTRIBUTING.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()
    return [word for row in rows[2:] for word in re.findall(r"`([^`]+)`", row.split("|")[1])]


def unknown(text):
    """Commands of the package and targets of make that a text names and that do not exist."""
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    said = re.findall(r"(?:python -m\s+warpbook|make) (\w+)", text)
    return [name for name in said if name not in (*commands(), *targets)]


def missing(text):
    """Files in backticks, given from the project's folder down, that do not exist."""
    named = re.findall(r"`(\.?\w[\w.-]*/[\w./<>*-]+)`", text)
    return [n for n in named if not MADE.search(n) and not list(ROOT.glob(n.rstrip("/")))]


def links(text):
    """The files that a text links to; what stands in backticks is an example."""
    return re.findall(r"\]\((?!https?:|#)([^)#]+)", re.sub(r"(`+).*?[^`]\1(?!`)", "", text))


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert unknown(text) == []
    assert missing(text) == []
    assert [link for link in links(text) if not (ROOT / link).exists()] == []


def test_every_command_is_listed():
    assert sorted(word.split()[0] for word in table("`python -m warpbook ...`")) == commands()


def test_every_tool_is_listed():
    there = {p.name for p in (ROOT / "tools").glob("*.py")} - {"launch_cubin.py"}  # called by one
    assert set(table("`.venv/bin/python tools/...`")) == there


def test_every_target_of_make_is_listed():
    listed = [word.split()[1] for word in table("Command")]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(set(targets) - {"ready"})


def test_the_rooms_are_the_packages():
    listed = re.findall(r"^    (\w+)/? {2,}", warpbook.__doc__, re.M)
    assert [room.rstrip("/") for room in table("Room")] == listed


def test_the_citation_has_the_packages_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == package["version"]
    assert citation["authors"] == package["authors"]
    assert citation["title"].startswith("Warp by Warp") and "doi" not in citation


def test_the_container_sets_up_what_make_does():
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    container = json.loads(re.sub(r"^\s*//.*", "", text, flags=re.M))
    file = ROOT / ".devcontainer" / container["build"]["dockerfile"]
    assert (ROOT / container["postCreateCommand"].split()[1]).is_file()
    assert f"useradd --create-home --shell /bin/bash {container['remoteUser']}" in file.read_text(
        encoding="utf-8"
    )

"""The page 'Your own kernels': its output is the command's, and its repair repairs."""

import re
import shlex

import pytest
from helpers import BOOK

from warpbook.__main__ import main

PAGE = (BOOK / "your_kernels.md").read_text(encoding="utf-8")
COMMAND = re.search(r"^python -m warpbook (trace (?:.*\\\n)*.*)$", PAGE, re.M)[1].replace(
    "\\\n", ""
)


def test_the_output_is_the_commands(monkeypatch, capsys):
    monkeypatch.chdir(BOOK / "examples")
    assert main(shlex.split(COMMAND)) == 1
    shown = re.search(r"```text\n(.*?)```", PAGE, re.S)[1]
    assert shown == capsys.readouterr().out, f"run in book/examples: python -m warpbook {COMMAND}"


def test_the_repair_repairs(tmp_path, monkeypatch, capsys):
    repair = re.search(r":emphasize-lines: 2\n(.*?)```", PAGE, re.S)[1]
    text = (BOOK / "examples" / "block_sum.cu").read_text(encoding="utf-8")
    loop = re.search(r"    for \(int half.*?\n    \}\n", text, re.S)[0]
    (tmp_path / "block_sum.cu").write_text(text.replace(loop, repair), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(COMMAND)) == 0
    assert "No finding." in capsys.readouterr().out


@pytest.mark.parametrize("option", re.findall(r"^- `(--?\w+)", PAGE, re.M))
def test_the_options_are_the_commands(option, capsys):
    with pytest.raises(SystemExit):
        main(["trace", "--help"])
    assert re.search(rf"{option}\b", capsys.readouterr().out)


def test_the_listing_is_the_commands(monkeypatch, capsys):
    monkeypatch.chdir(BOOK / "examples")
    (words,) = re.findall(r"^python -m warpbook (trace \S+)$", PAGE, re.M)
    assert main(shlex.split(words)) == 0
    assert capsys.readouterr().out.startswith(re.findall(r"```text\n(.*?)```", PAGE, re.S)[1])

"""The line that says how much of some work is done."""

import sys

import pytest

from warpemu import Progress, progress


@pytest.fixture
def now(monkeypatch):
    """A clock that stands until it is set: now[0] = seconds."""
    seconds = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: seconds[0])
    return seconds


def test_a_line_says_how_much_is_done_and_how_long_the_rest_takes(now, capsys):
    bar = Progress("scan", 20, "blocks", done=10, anywhere=True)
    now[0] += 4
    bar.update(12, "step 7")
    assert capsys.readouterr().err.rstrip() == (
        "\rscan [" + "#" * 18 + " " * 12 + "] 12/20 blocks, step 7, about 16 s left"
    )


def test_no_more_than_one_line_a_second_but_the_last_is_written(now, capsys):
    bar = Progress("scan", 3, "blocks", anywhere=True)
    for done in (1, 2, 3):
        bar.update(done)
    bar.end_line()
    bar.end_line()
    told = capsys.readouterr().err
    assert "1/3" in told and "2/3" not in told and "3/3" in told and told.count("\n") == 1


def test_short_work_and_what_is_no_terminal_are_silent(now, capsys):
    late, quiet = Progress("a", 9, "files", after=3, anywhere=True), Progress("b", 9, "files")
    assert not sys.stderr.isatty()
    now[0] += 2
    for bar in (late, quiet):
        bar.update(5)
        bar.end_line()
    assert capsys.readouterr().err == ""
    now[0] += 2
    late.update(6)
    assert "6/9" in capsys.readouterr().err

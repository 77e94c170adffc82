"""The README's picture and its table show what was recorded last."""

import re
import shutil
import tempfile
from pathlib import Path

import pandas as pd
import pytest
import readme
from helpers import BOOK

from warpbook.display.plots import ladder


def stale(figure, saved):
    """True when a saved picture is not the one that today's results give."""
    with tempfile.TemporaryDirectory() as folder:
        figure.save(Path(folder) / "now.svg")
        now = (Path(folder) / "now.svg").read_text(encoding="utf-8")
    return not saved.is_file() or saved.read_text(encoding="utf-8") != now


def test_the_readmes_picture_is_of_todays_results():
    assert not stale(readme.draw(), readme.PICTURE), "python tools/readme.py draws it again"


def test_the_readmes_table_is_of_todays_results():
    text = readme.README.read_text(encoding="utf-8")
    assert readme.written(text, readme.table()) == text, "python tools/readme.py writes it again"


def test_a_stale_table_is_found():
    text = readme.README.read_text(encoding="utf-8")
    edited = re.sub(r"\d+% \|", "1% |", text, count=1)
    assert edited != text == readme.written(edited, readme.table())
    with pytest.raises(ValueError, match="needs the lines"):
        readme.written(text.replace(readme.END, ""), "")


@pytest.fixture
def renumbered(tmp_path):
    """The chapters of the README, each with another number."""
    for chapter in {readme.CHAPTER, *(line[1] for line in readme.LINES)}:
        shutil.copy(readme.page(chapter), tmp_path / f"77_{chapter}.ipynb")
    shutil.copytree(BOOK / "results", tmp_path / "results")
    return tmp_path


def test_a_chapter_may_change_its_number(renumbered):
    assert readme.draw(renumbered).svg == readme.draw().svg
    assert "(book/77_matvec.ipynb)" in readme.table(renumbered)


def test_a_run_that_is_not_there_is_named(renumbered):
    (measured,) = renumbered.glob("results/nvidia_h200/measurements.csv")
    text = measured.read_text(encoding="utf-8")
    measured.write_text(text.replace("22_shared_tiles", "23_other"), encoding="utf-8")
    with pytest.raises(KeyError, match="22_shared_tiles"):
        readme.table(renumbered)


def test_the_table_says_how_fast_in_the_units_of_the_field():
    row = {"gb_per_s": 4548.2, "gflop_per_s": float("nan")}
    assert readme.rate(row) == "4,548 GB/s"
    assert readme.rate(row | {"gflop_per_s": 967.0}) == "0.967 TFLOP/s"


def test_a_stale_picture_is_found(tmp_path):
    figures = [ladder(pd.DataFrame({"gb_per_s": [x]}, index=["one"])) for x in (1.0, 2.0)]
    assert stale(figures[0], tmp_path / "a.svg")
    figures[0].save(tmp_path / "a.svg")
    assert [stale(f, tmp_path / "a.svg") for f in figures] == [False, True]

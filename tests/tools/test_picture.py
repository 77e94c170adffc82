"""The README's picture is drawn from what was recorded last."""

import shutil
import tempfile
from pathlib import Path

import pandas as pd
import picture
from helpers import BOOK

from warpbook.display.plots import ladder


def stale(figure, saved):
    """True when a saved picture is not the one that today's results give."""
    with tempfile.TemporaryDirectory() as folder:
        figure.save(Path(folder) / "now.svg")
        now = (Path(folder) / "now.svg").read_text()
    return not saved.is_file() or saved.read_text() != now


def test_the_readmes_picture_is_of_todays_results():
    assert not stale(picture.draw(), picture.PICTURE), "python tools/picture.py draws it again"


def test_a_stale_picture_is_found(tmp_path):
    figures = [ladder(pd.DataFrame({"gb_per_s": [x]}, index=["one"])) for x in (1.0, 2.0)]
    assert stale(figures[0], tmp_path / "a.svg")
    figures[0].save(tmp_path / "a.svg")
    assert [stale(f, tmp_path / "a.svg") for f in figures] == [False, True]


def test_the_chapter_may_change_its_number(tmp_path):
    (page,) = BOOK.glob("[0-9][0-9]_coalescing.ipynb")
    shutil.copy(page, tmp_path / "77_coalescing.ipynb")
    shutil.copytree(BOOK / "results", tmp_path / "results")
    assert picture.draw(tmp_path).svg == picture.draw().svg

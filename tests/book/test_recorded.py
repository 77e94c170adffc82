"""What a built page says of its age."""

import re

import nbformat
import pytest
from helpers import BOOK, CHAPTERS, assert_balanced, module

PAGE = '<h1>Title</h1><p>text</p><div><p class="warp-device">On a GPU.</p></div><p>more</p>'
SAID = "This page was recorded before a&lt;b.cu changed: its numbers may be out of date."
LINE = f'<p class="warp-stale">{SAID}</p>'


@pytest.fixture
def told():
    return module(BOOK / "_ext" / "recorded.py").told


def test_a_stale_page_says_so_below_its_gpu(told):
    assert told(PAGE, ["a<b.cu"]) == PAGE.replace("GPU.</p>", f"GPU.</p>{LINE}")
    unmeasured = "<h1>Title</h1><p>text</p>"
    assert told(unmeasured, ["a<b.cu"]) == unmeasured.replace("</h1>", f"</h1>{LINE}")


def test_any_other_page_stays_as_it_is(told):
    assert told(PAGE, []) == PAGE


def recorded(path):
    """The HTML in which a chapter names its GPU."""
    cells = (c for c in nbformat.read(path, 4).cells if "setup" in c.metadata.get("tags", []))
    data = [o.get("data", {}) for cell in cells for o in cell.outputs]
    return next(d["text/html"] for d in data if "warp-device" in d.get("text/html", ""))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_gpu_and_the_day_are_one_line_and_the_rest_opens(path):
    html = recorded(path)
    brief = module(BOOK / "_ext" / "recorded.py").brief(f"<div>{html}</div>")
    assert_balanced(brief)
    assert re.match(
        r'<div><details class="warp-device"><summary><strong>Measured on</strong> NVIDIA [\w -]+, '
        r"\d{4}-\d\d-\d\d</summary><p>\d+ SMs, .* CuPy [\d.]+\.</p></details></div>$",
        brief,
    )


def test_a_page_without_a_gpu_says_so_in_full(told):
    html = '<p class="warp-device"><strong>Measured on</strong> No GPU here: kernels run.</p>'
    assert module(BOOK / "_ext" / "recorded.py").brief(html) == html

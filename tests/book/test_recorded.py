"""What a built page says of its age."""

import pytest
from helpers import BOOK, module

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

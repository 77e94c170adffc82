"""claim: what it says with a GPU and without one, how it words its check, and what it refuses."""

import numpy as np
import pytest
from helpers import DESKTOP, PHONE, WIDE, assert_balanced, look, violations
from selenium.webdriver.common.keys import Keys

from warpbook import results
from warpbook.measure import claims
from warpbook.measure.claims import claim


def test_claim_holds():
    made = claim("Four are {x:.1f} times as fast.", "4.5 <= x <= 5.5", x=5.0)
    assert repr(made) == "Claim (holds): Four are 5.0 times as fast. (checked: 4.5 to 5.5)"


def test_time_claim_needs_a_gpu():
    made = claim("{x:.1%} of it, {y} times", "x > 3 * y", x=np.nan, y=2)
    assert (made.status, made.text) == ("needs a GPU", "(not measured) of it, 2 times")
    assert claim("{x:.1f} % of it", "x > 3", x=np.nan).text == "(not measured) of it"
    assert claim("finance: {x:+.1%}", "x > 3", x=np.nan).text == "finance: (not measured)"


def test_false_counter_claim_fails_without_a_gpu():
    with pytest.raises(
        AssertionError, match=r"does not hold: 9 sectors \(checked: at most 8; n = 9"
    ):
        claim("{n} sectors", "n <= 8", n=9)


def test_a_false_claim_on_a_readers_gpu_says_so_and_a_recording_keeps_it(monkeypatch, tmp_path):
    monkeypatch.setattr(claims, "GPU", True)
    monkeypatch.setenv(results.RECORDING, str(tmp_path))
    assert claim("{x:.1f} times", "x > 2", x=1.0).status == "not on this GPU"
    assert claim("{x:.1f} times", "x < 2", x=np.nan).status == "not on this GPU"
    assert claim("{x:.0%} of it", "x > 0.5", x=0.6).status == "holds"
    assert [tuple(row.values()) for row in results.read(tmp_path / "claims.csv")] == [
        ("{x:.1f} times", "not on this GPU", "1.0 times", "more than 2"),
        ("{x:.1f} times", "not on this GPU", "(not measured) times", "less than 2"),
        ("{x:.0%} of it", "holds", "60 % of it", "more than 50 %"),
    ]


def test_claim_needs_a_number():
    with pytest.raises(TypeError, match="the number it rests on"):
        claim("fast", "1 > 0")


@pytest.mark.parametrize(
    "sentence, check, measured, words",
    [
        ("{x:.1f}", "x >= 1.1", {"x": 2}, "at least 1.1"),
        ("{x:.2f}", "x > 1.1", {"x": 2}, "more than 1.10"),
        ("{x:.0%}", "x <= 0.15", {"x": 0.1}, "at most 15 %"),
        ("{x:+.1%}", "-0.1 < x < 0.1", {"x": 0.01}, "between −10 % and 10 %"),
        ("{x:.2f}", "1.08 <= x <= 1.2", {"x": 1.1}, "1.08 to 1.20"),
        ("{x:.0f}", "x == 32", {"x": 32}, "exactly 32"),
        ("{x:,}", "x == 67456", {"x": 67456}, "exactly 67,456"),
        ("{x:.0f}", "x < 1.5", {"x": 1}, "less than 1.5"),
        ("{x:.1f}", "2 >= x", {"x": 1}, "at most 2"),
        ("{x:d}", "x != 2.0", {"x": 1}, "not 2.0"),
        ("{x}", "x == 1 or x == 2", {"x": 1}, "exactly 1 or exactly 2"),
        (
            "{a_b:.1f} {c}",
            "a_b >= 1.5 and c == 4",
            {"a_b": 2, "c": 4},
            "a b at least 1.5 and c exactly 4",
        ),
        ("{a:.1f} {b_c:.1f}", "b_c * 0.9 <= a", {"a": 2, "b_c": 2}, "b c × 0.9 ≤ a"),
        ("{x:+.1%}", "abs(x) <= 0.1", {"x": -0.05}, "|x| ≤ 10 %"),
        (
            "{a:.0%} {b}",
            "not a > 0.25 and (a - b) / 2 != max(a, 3)",
            {"a": 0.1, "b": 1},
            "not a > 25 % and (a − b) / 2 ≠ max(a, 3)",
        ),
    ],
)
def test_a_check_in_words(sentence, check, measured, words):
    assert claim(sentence, check, **measured).checked == words


@pytest.mark.parametrize(
    "check, error, said",
    [
        ("y > 1", TypeError, "the check has 'y', which was not measured; measured are x"),
        ("x >", ValueError, "'x >' is no expression; write one such as '1.08 <= ratio <= 1.20'"),
        ("x", ValueError, "compares no measured number"),
        ("2 > 1", ValueError, "compares no measured number"),
        ("-x", ValueError, "compares no measured number"),
        ("x ** 2 > 1", ValueError, "cannot use"),
        ("x > '1'", ValueError, "cannot use '1'"),
        ("x > True", ValueError, "cannot use True"),
        ("x.real > 1", ValueError, "cannot use x.real"),
        ("len(x) > 1", ValueError, r"cannot use len\(x\)"),
        ("max(x, key=x) > 1", ValueError, "cannot use max"),
        ("x > [1][0]", ValueError, "cannot use"),
        ("(lambda: x)() > 1", ValueError, "cannot use"),
        ("x in (1, 2)", ValueError, "cannot use"),
        ("__import__('os').system('ls') > x", ValueError, "cannot use"),
    ],
)
@pytest.mark.parametrize("value", [2.0, np.nan], ids=["measured", "not"])
def test_a_wrong_check_is_refused_also_where_nothing_was_measured(check, error, said, value):
    with pytest.raises(error, match=said):
        claim("{x}", check, x=value)


def test_names_that_do_not_match_are_refused():
    with pytest.raises(TypeError, match="the sentence has 'y', which was not measured"):
        claim("{x} and {y:.1f}", "x > 1", x=2)
    with pytest.raises(TypeError, match="neither sentence nor check uses y, z"):
        claim("{x}", "x > 1", x=2, z=1, y=1)
    assert claim("{x}", "x > y", x=2, y=1).status == "holds"
    assert claim("{x:.{places}f}", "x > 1", x=2, places=3).text == "2.000"


@pytest.mark.parametrize("verdict", [True, np.bool_(True)])
def test_a_verdict_is_no_check(verdict):
    with pytest.raises(ValueError, match="True.* is a verdict"):
        claim("{x:.1f} times", verdict, x=5.0)


def test_claim_html():
    html = claim("<b> `float4` {x:.0%}", "x >= 0.9", x=1)._repr_html_()
    assert_balanced(html)
    sentence, tick = html.split("<details")
    assert sentence.endswith("&lt;b&gt; <code>float4</code> 100&nbsp;%&nbsp;")
    assert 'aria-label="Holds. How it was checked"' in tick
    assert "<em>(checked: at least 90&nbsp;%)</em>" in tick
    needs = claim("{x}", "x >= 0.9", x=np.nan)._repr_html_()
    assert (
        "– <strong>Needs a GPU:</strong> (not measured) <em>(checked: at least 0.9)</em>" in needs
    )
    lost = claims.Claim("not on this GPU", "x", "at most 2")._repr_html_()
    assert "✗ <strong>Not on this GPU:</strong> x <em>(checked: at most 2)</em>" in lost
    assert "<details" not in needs + lost
    assert "em>" not in claims.Claim("not on this GPU", "x")._repr_html_()


WHERE = """
const box = document.querySelector('em').getBoundingClientRect();
const text = document.querySelector('summary').getBoundingClientRect();
return [document.querySelector('em').checkVisibility({contentVisibilityAuto: true})
  && box.height > 0, box.height > 0 && Math.abs(box.bottom - text.bottom) < 8];
"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_bounds_open_in_the_sentences_line_by_keyboard_and_on_paper(
    browser, tmp_path, folder_address, size
):
    html = claim("Four: {x:.1f}.", "4.5 <= x <= 5.5", x=5)._repr_html_()
    head = "<!doctype html><html lang=en><title>x</title><meta charset=utf-8>"
    head += "<meta name=viewport content='width=device-width'><main>"
    (tmp_path / "page.html").write_text(head + html, encoding="utf-8")
    for dark in (False, True):
        look(browser, f"{folder_address}/page.html", size, dark)
        assert browser.execute_script(WHERE)[0] is False
        assert violations(browser) == []
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert browser.execute_script(WHERE) == [True, True]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.find_element("css selector", "summary").send_keys(Keys.ENTER)
        assert browser.execute_script(WHERE) == [True, True]
        assert browser.execute_script(WIDE) == []

"""How tests are shared between workers: what is dear to make is made once, the rest is divided."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import pytest
from helpers import TESTS, module


@pytest.fixture(scope="module")
def conftest():
    return module(TESTS / "conftest.py")


@pytest.mark.parametrize(
    "one, other, together",
    [
        ("book/test_site.py::test_page[a]", "book/test_site.py::test_other[b]", True),
        ("book/test_site.py::test_page[a]", "book/test_site.py::test_page_in_the_dark[a]", False),
        ("book/test_site.py::test_dark[a]", "book/test_site.py::test_other_dark[b]", True),
        ("kernels/test_golden.py::test_a[x]", "kernels/test_faults.py::test_b[y]", True),
        ("launch/test_cpu.py::test_a[x]", "launch/test_cpu.py::test_b[y]", True),
        ("launch/test_cpu.py::test_a", "gpu/test_cpu.py::test_a", False),
        ("book/test_chapters.py::test_a[01_x]", "book/test_chapters.py::test_b[01_x]", True),
        ("book/test_chapters.py::test_a[01_x]", "book/test_chapters.py::test_a[02_y]", False),
        (
            "grading/test_book_exercises.py::test_a[matmul/tile]",
            "grading/test_book_exercises.py::test_b[matmul/tile-no_guard]",
            True,
        ),
        (
            "grading/test_book_exercises.py::test_a[matmul/tile]",
            "grading/test_book_exercises.py::test_a[matmul/fetch]",
            False,
        ),
    ],
)
def test_what_a_worker_takes_at_once(conftest, one, other, together):
    assert (conftest.share(f"tests/{one}") == conftest.share(f"tests/{other}")) == together


def test_half_of_the_sites_tests_are_in_the_dark(conftest, request):
    text = (TESTS / "book" / "test_site.py").read_text()
    names = re.findall(r"^@pytest.mark.parametrize\(\"page\", .*\)\ndef (\w+)", text, re.M)
    shares = [conftest.share(f"{conftest.SITE}::{name}[index]") for name in names]
    assert set(shares) == {"site", conftest.DARK} and len(names) == 3


def test_the_site_is_built_once_for_all_workers(conftest, monkeypatch, tmp_path):
    """By the first that asks; the others wait for it, and hear of it if it fails."""
    built = []

    def build(root, out, status=0):
        time.sleep(0.2)
        built.append(out)
        return SimpleNamespace(returncode=status, stdout="said", stderr="")

    monkeypatch.setenv(conftest.SHARED, str(tmp_path))
    monkeypatch.setattr(conftest, "build", build)
    site = conftest.site.__wrapped__
    with ThreadPoolExecutor(3) as pool:
        places = [pool.submit(site) for _ in range(3)]
    assert {place.result() for place in places} == {tmp_path / "site" / "_build" / "html"}
    assert built == [tmp_path / "site"]
    (tmp_path / "site" / "said.json").unlink()
    monkeypatch.setattr(conftest, "build", partial(build, status=1))
    for _ in range(2):
        with pytest.raises(AssertionError, match="said"):
            site()
    assert len(built) == 2


def test_every_file_with_a_share_of_its_own_is_there(conftest):
    named = conftest.APART | conftest.TOGETHER.keys()
    assert [name for name in named if not (TESTS.parent / name).is_file()] == []


def test_the_dearest_shares_come_first_then_the_largest(conftest):
    names = [
        "launch/test_cpu.py::test_a",
        "gpu/test_clock.py::test_a",
        "gpu/test_clock.py::test_b",
        "book/test_chapters.py::test_a[01_x]",
        "book/test_chapters.py::test_a[02_y]",
        "book/test_chapters.py::test_b[01_x]",
        "kernels/test_golden.py::test_a",
    ]
    items = [SimpleNamespace(nodeid=f"tests/{name}") for name in names]
    conftest.pytest_collection_modifyitems(items)
    order = [names.index(item.nodeid.removeprefix("tests/")) for item in items]
    assert order == [6, 3, 5, 4, 1, 2, 0]

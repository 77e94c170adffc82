"""The page 'The package': every public name once, with its docstring; what the stand-in lacks."""

import re

import numpy as np
import pytest
from helpers import BOOK, module

import warpbook
from warpbook.launch import numpy_cupy
from warpbook.recording.chapters import SETUP


@pytest.fixture(scope="module")
def api():
    """The extension, as the builder loads it."""
    return module(BOOK / "_ext" / "api.py")


@pytest.fixture(scope="module")
def page(api):
    return api.filled((BOOK / "package.md").read_text(encoding="utf-8"))


def headings(text):
    return re.findall(r"^### `([\w.]+)`$", text, re.M)


def undocumented(text):
    """Headings of names with nothing but a call below them."""
    parts = re.split(r"^### `([\w.]+)`$", text, flags=re.M)[1:]
    said = {
        name: re.split(r"^#", part, flags=re.M)[0]
        for name, part in zip(*[iter(parts)] * 2, strict=True)
    }
    prose = {name: re.sub(r"^`.*", "", part, flags=re.M) for name, part in said.items()}
    return [name for name, part in prose.items() if len(part.split()) < 4]


def test_every_public_name_is_on_the_page_once(page):
    public = [name for names in warpbook.PUBLIC.values() for name in names]
    of_package = [name for name in headings(page) if "." not in name]
    assert sorted(of_package) == sorted([*public, *warpbook.MODULES])


def test_every_function_of_a_public_module_is_on_the_page_once(page):
    found = headings(page)
    assert len(found) == len(set(found))
    assert {"cpu.load", "cpu.bench", "l2_windows.persist", "l2_windows.reset"} <= set(found)


def test_every_name_has_a_docstring(page):
    assert undocumented(page) == []


def test_the_page_begins_with_what_the_set_up_cell_imports(page, api):
    assert SETUP in page.partition("\n## ")[0]
    for name in re.search(r"import \(([^)]*)\)", SETUP)[1].replace("\n", " ").split(","):
        assert f"- {api.link(name.strip())}: " in page.partition("\n## ")[0]


def test_links_lead_to_headings_of_the_page(page, api):
    anchors = {api.slug(name) for name in headings(page)}
    linked = set(re.findall(r"\]\(#([^)]+)\)", page))
    assert linked and linked <= anchors


def test_what_a_function_returns_is_described(page):
    for heading in (
        "`load` returns: `Kernel`",
        "`trace` returns: `Trace`",
        "`grade` returns: `Grade`",
    ):
        assert page.count(f"#### What {heading}") == 1
    assert "- `kernel(grid, block, *args, shared_bytes=0)`: Launch on" in page
    assert "- `clock_mhz`: the highest SM clock" in page


def test_the_page_is_the_same_on_every_machine(page):
    assert "0x" not in page and "site-packages" not in page and str(BOOK.parent) not in page


# The renderer.


@pytest.mark.parametrize(
    "doc, markdown",
    [
        (
            "Time it.\n\nn: how many. k: which\nof them.\nIt waits.",
            "Time it.\n\n- `n`: how many.\n- `k`: which of them.\n\nIt waits.",
        ),
        ("Do it. Raises ValueError.", "Do it.\n\nRaises ValueError."),
        ("As follows:\n\n    f(1)\n    g(2)", "As follows:\n\n```python\nf(1)\ng(2)\n```"),
        ("a*b < ``a_b`` [1]", "a\\*b \\< `a_b` \\[1\\]"),
        ("see ``bench`` and METRICS", "see [`bench`](#bench) and [`METRICS`](#metrics)"),
        ("'topic/NN_idea' of gb_per_s, GPU's", "`'topic/NN_idea'` of `gb_per_s`, GPU's"),
    ],
)
def test_a_docstring_becomes_markdown(api, doc, markdown):
    assert api.rendered(doc) == markdown


def test_a_name_is_no_link_to_itself(api):
    assert api.rendered("``bench`` it", "bench") == "`bench` it"


def test_defaults_that_are_tables_are_called_by_their_names(page):
    assert "`profile(given, metrics=METRICS)`" in page and "defines={}" in page


# Planted faults: each check can fail.


def test_a_missing_mark_is_found(api):
    with pytest.raises(ValueError, match="all names come here"):
        api.filled(
            (BOOK / "package.md").read_text(encoding="utf-8").replace("% all names come here\n", "")
        )


def test_a_name_without_a_docstring_is_found(page):
    assert undocumented("### `f`\n\n`f(x)` → `int`\n\n### `g`\n\n`g()`\n\nDo this and that.\n") == [
        "f"
    ]


# What the page says of the stand-in, where it can be seen without a GPU.


def test_the_stand_in_is_as_the_page_says(page):
    cp = numpy_cupy
    a = cp.arange(4, dtype=cp.float32)
    assert type(a) is np.ndarray and not hasattr(a, "get")
    assert cp.asnumpy(a) is a and cp.asarray(a) is a
    assert isinstance(cp.sum(a), np.float32) and isinstance(a[0], np.float32)
    with pytest.raises(IndexError):
        a[cp.array([9])]
    assert np.isnan(cp.cuda.get_elapsed_time(cp.cuda.Event(), cp.cuda.Event()))
    assert np.isnan(cp.empty(1, cp.float32)[0])
    for name in ("RawModule", "ElementwiseKernel", "get_default_memory_pool"):
        with pytest.raises(AttributeError):
            getattr(cp, name)
    for name in ("texture", "malloc_managed", "MemoryPool"):
        assert not hasattr(cp.cuda, name)
    assert not hasattr(cp.cuda.Device(), "mem_info") and not hasattr(cp.RawKernel, "attributes")


def test_a_raw_kernel_passes_python_numbers_as_eight_bytes():
    code = 'extern "C" __global__ void f(int n, float x, float* out) { out[0] = n; out[1] = x; }'
    kernel, out = numpy_cupy.RawKernel(code, "f"), np.zeros(2, np.float32)
    kernel((1,), (1,), (3 + 2**32, 2.5, out))
    assert list(out) == [3, 0]  # the low bytes of 2.5 as a double are zeros
    kernel((1,), (1,), (np.int32(3), np.float32(2.5), out))
    assert list(out) == [3, 2.5]


def test_the_names_of_the_stand_in_are_on_the_page(page):
    said = page.rpartition("## How the stand-in differs")[2]
    own = ("asnumpy", "cuda.Event", "random.default_rng", "RawKernel", "ndarray")
    assert all(f"`{name}`" in said for name in (*numpy_cupy.OFFERED, *own))

"""Every chapter runs from top to bottom where there is no GPU, from the installed package.

The package is unpacked from its wheel, off the repository, as on Colab, so that one run proves
both. What a page shows that does not depend on the machine is compared with the page.
"""

import re
from importlib import util

import forked_kernels
import nbformat
import pandas as pd
import pytest
from helpers import BOOK

from warpbook.recording import chapters

# Calls whose outputs are the same on every machine, and what makes a cell depend on it after all:
# a GPU, or the compiler's version, which decides about registers.
SAME_EVERYWHERE = re.compile(r"\b(show|diff|trace|occupancy)\(")
DEPENDS = re.compile(r"^%%gpu|\bresources\(|\bbench\(|\.ms\b")
# Of some kernels NVRTC makes one of two codes: of what a cell says of them only words are compared.
_listed = pd.read_csv(BOOK / "validation" / "differences.csv")
VARY = {
    line.split()[0].split("/")[1] for line in _listed[_listed.emulator == "varies"]["launch"]
}  # fmt: skip


def outputs(notebook):
    """The outputs of a notebook's code cells, each as (kind, name, text)."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.output_type, output.get("name", ""), text(output)


def text(output):
    return output.get("text") or output.get("data", {}).get("text/plain", "")


def compared(recorded, executed):
    """(source, text on the page, text now) of the cells whose outputs no machine changes."""
    for old, new in zip(recorded.cells, executed.cells, strict=True):
        if new.cell_type != "code" or DEPENDS.search(new.source):
            continue
        if SAME_EVERYWHERE.search(new.source):
            pair = [[text(o) for o in cell.outputs] for cell in (old, new)]
            if any(f'"{name}"' in new.source for name in VARY):
                pair = [[re.sub(r"\s+", " ", re.sub(r"\d+", "#", t)) for t in ts] for ts in pair]
            yield new.source, *pair


@pytest.fixture(scope="module")
def forked():
    with pytest.MonkeyPatch.context() as patch:
        forked_kernels.use(patch)
        yield


@pytest.fixture(scope="module", params=chapters.chapters(), ids=lambda path: path.stem)
def run(request, installed, forked):
    return request.param, chapters.execute(request.param, emulated=True, package=installed)


def test_runs_and_warns_of_nothing(run):
    _, executed = run
    assert [text for _, name, text in outputs(executed.notebook) if name == "stderr"] == []


def test_comes_from_the_installed_package(run, installed):
    _, executed = run
    assert executed.opened and all(path.startswith(str(installed)) for path in executed.opened)


def test_measures_no_time(run):
    """Nothing reaches the results, and every claim either holds by counting or needs a GPU."""
    _, executed = run
    said = [text for _, _, text in outputs(executed.notebook) if text.startswith("Claim (")]
    assert executed.measurements == executed.claims == []
    assert said and all(text.startswith(("Claim (holds)", "Claim (needs a GPU)")) for text in said)


def test_the_page_shows_what_every_machine_shows(run):
    path, executed = run
    if "triton" in path.stem and not util.find_spec("triton"):
        pytest.skip("the extra `triton` is not installed: the page leaves its kernels out")
    pairs = list(compared(nbformat.read(path, 4), executed.notebook))
    assert pairs, "no listing, no trace?"
    assert [source for source, page, now in pairs if page != now] == []


def test_a_listing_that_is_not_on_the_page_is_found():
    def page(said):
        output = nbformat.v4.new_output("execute_result", {"text/plain": said})
        cell = nbformat.v4.new_code_cell('show("peaks/01_copy")', outputs=[output])
        return nbformat.v4.new_notebook(cells=[cell])

    ((_, old, new),) = compared(page("one"), page("two"))
    assert (old, new) == (["one"], ["two"])


def test_of_a_kernel_with_two_codes_numbers_may_differ_and_words_may_not():
    def page(said):
        output = nbformat.v4.new_output("execute_result", {"text/plain": said})
        cell = nbformat.v4.new_code_cell('trace(load("02_registers"))', outputs=[output])
        return nbformat.v4.new_notebook(cells=[cell])

    assert "02_registers" in VARY
    ((_, old, new),) = compared(page("requests  128"), page("requests 1152"))
    assert old == new
    ((_, old, new),) = compared(page("requests 128"), page("sectors 128"))
    assert old != new

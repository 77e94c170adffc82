"""Chapters and lab notes run from top to bottom with no GPU, from the installed package.

The package is unpacked from its wheel, off the repository, as on Colab, so that one run proves
both. What a page shows that does not depend on the machine is compared with the page.
"""

from importlib import util

import nbformat
import pytest

from warpbook.recording import chapters, same_everywhere


def outputs(notebook):
    """The outputs of a notebook's code cells, each as (kind, name, text)."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.output_type, output.get("name", ""), text(output)


def text(output):
    return output.get("text") or output.get("data", {}).get("text/plain", "")


@pytest.mark.parametrize("path", chapters.pages(), ids=chapters.name)
def test_a_chapter_runs_and_shows_what_every_machine_shows(path, installed):
    """It warns of nothing, reads nothing but the package, and measures no time: nothing reaches the
    results, and every claim holds by counting or needs a GPU (below %%gpu it is not even tried).
    Lab notes may have no claim and no listing.
    """
    executed = chapters.execute(path, emulated=True, package=installed)
    said = list(outputs(executed.notebook))
    assert [text for _, name, text in said if name == "stderr"] == []
    assert executed.opened and all(name.startswith(str(installed)) for name in executed.opened)
    claims = [text for _, _, text in said if text.startswith("Claim (")]
    assert executed.measurements == executed.claims == []
    is_chapter = path in chapters.chapters()
    made = [c for c in executed.notebook.cells if c.cell_type == "code" and "claim(" in c.source]
    assert made or not is_chapter
    assert all(text.startswith(("Claim (holds)", "Claim (needs a GPU)")) for text in claims)
    if "triton" in path.stem and not getattr(util.find_spec("triton"), "origin", None):
        pytest.skip("the extra `triton` is not installed: the page leaves its kernels out")
    pairs = list(same_everywhere.compared(nbformat.read(path, 4), executed.notebook))
    assert pairs or not is_chapter, "no listing, no trace?"
    differing = [page.source for page, _, same in pairs if not same]
    assert differing == [], "`python -m warpbook record --listings` writes them anew"

"""The book's builder: no warning passes, and its buttons lead somewhere."""

import re

import nbformat
import pytest
import yaml
from helpers import PAGES, ROOT, build, project

from warpbook.recording import chapters as recording

ADDRESS = "https://github.com/someone/somewhere"
CHAPTERS = [p for p in PAGES if re.match(r"(lab/)?\d\d_", p)]


def buttons(site, pages):
    """The addresses of Colab, repository and issues to which the built pages lead."""
    text = "".join((site / f"{page}.html").read_text(encoding="utf-8") for page in pages)
    return set(re.findall(r'href="(https?://(?:colab|github)[^"]+)"', text))


def test_the_book_builds_without_a_warning(site):
    assert all((site / f"{page}.html").is_file() for page in PAGES)


def test_without_an_address_no_button_leads_anywhere(site):
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    if 'url: ""' not in config:
        pytest.skip("_config.yml has an address: the buttons lead there")
    linked = buttons(site, CHAPTERS)
    assert not [a for a in linked if "colab" in a or a.endswith("/issues")], linked
    assert "issues-button" not in "".join(
        (site / f"{p}.html").read_text(encoding="utf-8") for p in PAGES
    )


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """(what the builder said, the built HTML) of a book with an address and one link to nothing.

    Of each chapter there is the title and the set-up cell: the rest is built for the tests above.
    """
    folder = tmp_path_factory.mktemp("changed")
    copy = project(folder)
    config = (copy / "_config.yml").read_text(encoding="utf-8")
    (copy / "_config.yml").write_text(
        re.sub(r'url: ".*"', f'url: "{ADDRESS}"', config), encoding="utf-8"
    )
    toc = {"format": "jb-book", "root": "index", "chapters": [{"file": c} for c in CHAPTERS]}
    (copy / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    for path in (copy / "book").rglob("[0-9][0-9]_*.ipynb"):  # as `python -m warpbook address` does
        notebook = nbformat.read(path, as_version=4)
        title = notebook.cells[0]
        setup = next(c for c in notebook.cells if "setup" in c.metadata.get("tags", []))
        title.source = title.source.partition("\n")[0]
        setup.source = recording.ON_COLAB.format(address=ADDRESS) + recording.SETUP
        notebook.cells = [title, setup]
        recording.write(notebook, path)
    (copy / "book" / "index.md").write_text("# A book\n\n{doc}`99_none`\n", encoding="utf-8")
    return build(copy, folder / "out"), folder / "out" / "_build" / "html"


def test_with_an_address_every_chapter_opens_in_colab(changed):
    _, built = changed
    for chapter in CHAPTERS:
        links = buttons(built, [chapter])
        assert (
            f"https://colab.research.google.com/github/someone/somewhere/blob/main/book/"
            f"{chapter}.ipynb"
        ) in links
        assert ADDRESS in links
        assert (ROOT / "book" / f"{chapter}.ipynb").is_file()


def test_a_warning_fails_the_build(changed):
    """The planted link is all that the builder warns of, and enough for it to fail."""
    done, _ = changed
    warnings = re.findall(r"^.*WARNING: .*$", done.stdout + done.stderr, re.M)
    assert done.returncode and len(warnings) == 1 and "99_none" in warnings[0], warnings

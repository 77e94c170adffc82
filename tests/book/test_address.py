"""The repository's address: which buttons a page gets from it, and how it reaches the chapters."""

from types import SimpleNamespace

import nbformat
import pytest
import yaml
from helpers import BOOK, ROOT, module

from warpbook.__main__ import main
from warpbook.recording import chapters

OURS, THEIRS = "https://github.com/us/book", "https://github.com/them/book"


@pytest.fixture
def address(monkeypatch):
    """The extension, as the builder loads it."""
    monkeypatch.delenv("WARPBOOK_ADDRESS", raising=False)
    return module(BOOK / "_ext" / "address.py")


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A project with one chapter, whose set-up cell fetches nothing, and an empty address."""
    book = tmp_path / "book"
    book.mkdir()
    cell = nbformat.v4.new_code_cell("old", metadata={"tags": ["setup"]}, id="a")
    chapters.write(nbformat.v4.new_notebook(cells=[cell]), book / "01_demo.ipynb")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    monkeypatch.setattr(chapters, "BOOK", book)
    configure(book, "")
    return book


def configure(book, url):
    (book.parent / "_config.yml").write_text(f'repository:\n  url: "{url}"\n', encoding="utf-8")


def options(address, book, url):
    """The theme's options after the extension, for an address in _config.yml."""
    given = {"repository_url": url, "launch_buttons": {"colab_url": "https://colab.example"}}
    config = SimpleNamespace(html_theme_options=given)
    address.buttons(SimpleNamespace(srcdir=book), config)
    return config.html_theme_options


def test_the_command_writes_the_address_into_the_set_up_cells(book, capsys):
    configure(book, OURS)
    assert main(["address"]) == 0
    assert capsys.readouterr().out == f"{OURS}: 1 pages changed\n"
    source = nbformat.read(book / "01_demo.ipynb", 4).cells[0].source
    assert f'%pip install -q "git+{OURS}"' in source and source.endswith("device()")
    assert main(["address"]) == 0
    assert capsys.readouterr().out == f"{OURS}: 0 pages changed\n"


def test_without_an_address_there_is_no_button(address, book):
    found = options(address, book, "")
    assert not found["use_repository_button"] and not found["use_issues_button"]
    assert found["launch_buttons"] == {}


def test_colab_waits_for_the_set_up_cells(address, book):
    """Opened there, a chapter that fetches no package would fail in its first cell."""
    found = options(address, book, OURS)
    assert found["use_repository_button"] and found["launch_buttons"] == {}
    configure(book, OURS)
    main(["address"])
    assert options(address, book, OURS)["launch_buttons"]


def test_lab_notes_need_the_package_as_chapters_do(address, book):
    cell = nbformat.v4.new_code_cell("old", metadata={"tags": ["setup"]}, id="a")
    (book / "lab").mkdir()
    chapters.write(nbformat.v4.new_notebook(cells=[cell]), book / "lab" / "01_demo.ipynb")
    configure(book, OURS)
    main(["address"])
    assert chapters.stale() and options(address, book, OURS)["launch_buttons"]
    assert f"git+{OURS}" in nbformat.read(book / "lab" / "01_demo.ipynb", 4).cells[0].source
    chapters.write(nbformat.v4.new_notebook(cells=[cell]), book / "lab" / "01_demo.ipynb")
    assert options(address, book, OURS)["launch_buttons"] == {}


def test_a_fork_has_its_own_buttons(address, book, monkeypatch):
    configure(book, OURS)
    main(["address"])
    monkeypatch.setenv("WARPBOOK_ADDRESS", f"{THEIRS}/")
    found = options(address, book, OURS)
    assert found["repository_url"] == THEIRS and found["launch_buttons"]


def test_the_workflow_passes_its_repository(address):
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8"))
    (build,) = (s for s in flow["jobs"]["publish"]["steps"] if s.get("run") == "make book")
    here = "${{ github.server_url }}/${{ github.repository }}"
    assert build["env"] == {address.VARIABLE: here}

"""The theme's signs as drawings in the page, and what its pages say to the search."""

import pytest
from helpers import BOOK, module
from sphinx.errors import ExtensionError


@pytest.fixture(scope="module")
def icons():
    return module(BOOK / "_ext" / "icons.py")


@pytest.fixture(scope="module")
def search():
    return module(BOOK / "_ext" / "search.py")


def test_a_sign_becomes_a_drawing_and_keeps_its_other_classes(icons):
    sign = '<i class="theme-switch fa-solid fa-sun   fa-lg" data-mode="light" title="Light"></i>'
    drawing = icons.drawn(
        f'<script defer src="_static/scripts/fontawesome.js?d=1"></script>\n{sign}'
    )
    assert drawing.startswith('<svg class="warp-icon theme-switch" viewBox="0 0 24 24"')
    assert 'data-mode="light" title="Light"><path d="' in drawing


def test_a_sign_without_a_drawing_stops_the_build(icons):
    with pytest.raises(ExtensionError, match="no drawing for fa-solid fa-yeti"):
        icons.drawn('<span class="fa-solid fa-yeti"></span>')


def test_what_is_no_sign_stays(icons):
    html = '<i class="fast">a</i> <span class="sofa-bed"></span>'
    assert icons.drawn(html) == html


def test_headings_have_ids_and_marks_beside_them_are_no_text(search):
    html = '<section id="a">\n<h2>A<a class="headerlink" href="#a">#</a></h2>'
    assert search.findable(html) == (
        '<section id="a">\n<h2 id="a-heading">A'
        '<a data-pagefind-ignore class="headerlink" href="#a">#</a></h2>'
    )


def test_a_page_of_the_book_is_indexed_and_others_are_not(search):
    html = '<script src="searchindex.js"></script>\n<article class="bd-article">'
    assert search.findable(html) == '<article class="bd-article" data-pagefind-body>'
    assert search.findable(html, is_page=False) == '<article class="bd-article">'

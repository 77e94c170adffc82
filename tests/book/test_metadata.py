"""What a page says of itself to search engines, and where the book's address makes a difference."""

from types import SimpleNamespace

import pytest
from helpers import BOOK, module
from sphinx.util.inventory import InventoryFile


@pytest.fixture(scope="module")
def metadata():
    return module(BOOK / "_ext" / "metadata.py")


@pytest.mark.parametrize(
    "repository, site",
    [
        ("https://github.com/Ana/warp", "https://ana.github.io/warp/"),
        ("https://github.com/ana/warp.git", "https://ana.github.io/warp/"),
        ("https://example.org/ana/warp", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_github_publishes_a_repositorys_pages_at_one_place(metadata, repository, site):
    assert metadata.pages(repository) == site
    config = SimpleNamespace(
        html_theme_options={"repository_url": repository}, html_title="A book", html_baseurl=None
    )
    metadata.place(None, config)
    assert (config.html_baseurl, config.ogp_site_url) == (site, site)
    assert config.ogp_social_cards["enable"] == bool(site)
    assert (BOOK / config.ogp_social_cards["image"]).is_file()


@pytest.mark.parametrize("site, listed", [("https://a.org/", True), ("", False)])
def test_a_sitemap_lists_the_pages_of_a_book_that_has_an_address(metadata, tmp_path, site, listed):
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html", get_target_uri="{}.html".format),
        config=SimpleNamespace(html_baseurl=site),
        env=SimpleNamespace(found_docs={"lab/05_a", "05_a"}),
        outdir=tmp_path,
    )
    metadata.sitemap(app, None)
    assert (tmp_path / "sitemap.xml").is_file() == listed
    if listed:
        text = (tmp_path / "sitemap.xml").read_text(encoding="utf-8")
        assert text.index("<loc>https://a.org/05_a.html</loc>") < text.index("/lab/05_a.html</loc>")


def test_a_page_describes_itself_by_its_idea(site):
    html = (site / "05_coalescing.html").read_text(encoding="utf-8")
    assert '<meta name="description" content="Memory answers a warp in sectors of 32 bytes' in html
    assert '<meta property="og:site_name" content="Warp by Warp" />' in html


def test_other_projects_can_link_to_the_packages_names(site):
    with open(site / "objects.inv", "rb") as file:
        names = InventoryFile.load(file, "https://a.org", lambda *parts: "/".join(parts))
    assert names["py:function"]["warpbook.load"][2] == "https://a.org/package.html#load"

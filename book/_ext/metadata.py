"""What a page says of itself to search engines and to those who share a link.

Each page has a description and a title of its own. Where the book has a public address, pages also
name their place, a preview picture, and a sitemap lists them. The address: see address.py.
"""

import re
from pathlib import Path
from xml.sax.saxutils import escape

GITHUB = re.compile(r"https://github\.com/([^/]+)/([^/]+?)(?:\.git)?/?$")


def setup(app):
    app.setup_extension("sphinxext.opengraph")
    app.connect("config-inited", place, priority=1)  # after address.py, before the extension
    app.connect("build-finished", sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def pages(repository):
    """Where GitHub publishes the pages of a repository; '' for none, or for another host's."""
    found = GITHUB.match(repository or "")
    return f"https://{found[1].lower()}.github.io/{found[2]}/" if found else ""


def place(app, config):
    """Tell the builder and the extension where the book will stand."""
    site = pages(config.html_theme_options.get("repository_url"))
    config.html_baseurl = config.ogp_site_url = site
    config.ogp_site_name = config.html_title
    # a picture has to have an address; the logo of the pages is a drawing, which previews are not
    config.ogp_social_cards = {"enable": bool(site), "image": "_static/logo.png"}


def sitemap(app, exception):
    """Write sitemap.xml, where there is an address."""
    if exception or app.builder.format != "html" or not app.config.html_baseurl:
        return
    places = (app.config.html_baseurl + app.builder.get_target_uri(p) for p in app.env.found_docs)
    urls = "".join(f"<url><loc>{escape(place)}</loc></url>\n" for place in sorted(places))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    text = f'{head}<urlset xmlns="{space}">\n{urls}</urlset>\n'
    (Path(app.outdir) / "sitemap.xml").write_text(text, encoding="utf-8")

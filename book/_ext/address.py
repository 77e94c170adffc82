"""Buttons that need the repository's address (Colab, repository, issue) follow it.

The address is the one in the variable WARPBOOK_ADDRESS, which the workflow sets to the repository
that it runs in, so that a fork's book has the fork's buttons; else the one in _config.yml.
"""

import os

VARIABLE = "WARPBOOK_ADDRESS"
FETCH = 'pip install -q \\"git+'  # as it stands in a notebook's file


def setup(app):
    app.connect("config-inited", buttons, priority=0)
    return {"parallel_read_safe": True}


def buttons(app, config):
    """Show the buttons where there is an address; where there is none, none, not dead ones.

    Colab needs more: there a chapter's set-up cell has to fetch the package.
    """
    options = config.html_theme_options
    address = os.environ.get(VARIABLE, "").rstrip("/") or options.get("repository_url", "")
    options["repository_url"] = address
    options["use_repository_button"] = options["use_issues_button"] = bool(address)
    if not address or not runs_on_colab(app.srcdir):
        options["launch_buttons"] = {}


def runs_on_colab(book):
    """Whether every page's set-up cell fetches the package: `python -m warpbook address`."""
    pages = [*book.glob("[0-9][0-9]_*.ipynb"), *book.glob("lab/*.ipynb")]
    return bool(pages) and all(FETCH in path.read_text(encoding="utf-8") for path in pages)

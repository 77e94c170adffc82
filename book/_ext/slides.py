"""A button on each chapter's page: the page as slides. The script comes when it is pressed."""

import hashlib
import re
from pathlib import Path

SCRIPT = Path(__file__).with_suffix(".js")

BUTTON = """
addEventListener("DOMContentLoaded", () => {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", id: "warp-slides", textContent: "Slides",
    className: "btn btn-sm", title: "Show this page as slides" });
  button.addEventListener("click", () => {
    if (window.warpSlides) return warpSlides.open();
    const script = document.createElement("script");
    script.src = document.documentElement.dataset.content_root + "_static/%s";
    document.head.append(script);
  });
  button.style.fontSize = "1rem";
  document.querySelector(".article-header-buttons")?.prepend(button);
});
"""


def setup(app):
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(SCRIPT)))
    app.connect("html-page-context", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add(app, page, template, context, doctree):
    if re.match(r"\d\d_", page):
        made = hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:8]
        app.add_js_file(None, body=BUTTON % f"{SCRIPT.name}?v={made}")

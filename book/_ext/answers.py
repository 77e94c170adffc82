"""What belongs to a prediction's answer: tagged `answer` in a notebook, classed on the page.

A code cell's tag is its class already (`tag_answer`). What a Markdown cell holds gets it here: its
headings, and all that stands between two of them, in a box of its own. predictions.js folds both.
"""

import json

from docutils import nodes

TAG, MARK = "answer", "tag_answer"
BEGIN, END = "answer begins", "answer ends"


def setup(app):
    app.connect("source-read", enclose, priority=950)  # after what writes parts of a page
    app.connect("doctree-read", lambda app, doctree: mark(doctree, inside=False))
    return {"parallel_read_safe": True}


def enclose(app, page, source):
    if app.env.doc2path(page).endswith(".ipynb"):
        source[0] = enclosed(source[0])


def enclosed(text):
    """A notebook's JSON in which tagged Markdown cells stand between two comments."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and TAG in cell["metadata"].get("tags", []):
            cell["source"] = f"% {BEGIN}\n\n{''.join(cell['source'])}\n\n% {END}"
    return json.dumps(notebook, ensure_ascii=False)


def mark(parent, inside):
    """Mark what stands in a section and in those below it; return whether an answer goes on.

    inside: whether an answer has begun before it. Headings get the class, and what stands between
    them is wrapped as a whole, because a piece of HTML may open in one node and end in another.
    """
    kept, run = [], []

    def close():
        if run:
            kept.append(nodes.container("", *run, classes=[MARK], is_div=True))
            run.clear()

    for child in list(parent.children):
        parent.remove(child)
        if isinstance(child, nodes.comment) and child.astext() in (BEGIN, END):
            close()
            inside = child.astext() == BEGIN
            continue
        if isinstance(child, nodes.section):
            close()
            inside = mark(child, inside)
        elif inside and isinstance(child, nodes.title):
            child["classes"].append(MARK)
        elif inside:
            run.append(child)
            continue
        kept.append(child)
    close()
    parent.extend(kept)
    return inside

"""Formulas become MathML when the book is built: no script to fetch, and screen readers read it."""

from docutils import nodes
from latex2mathml.converter import convert


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True}


def inline(writer, node):
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display(writer, node):
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="math" tabindex="0">{formula}</div>')
    raise nodes.SkipNode

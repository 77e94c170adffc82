"""Show kernels as highlighted source: show and diff, in JupyterLab, Colab and the built book."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from typing import Any

from pygments.lexers import CudaLexer, PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String

from warpbook.launch import source

# Every pair that meets on a page has a contrast of at least 4.5:1 (a test holds it to that).
LIGHT = {
    "ink": "#1f2328",
    "paper": "#f6f8fa",
    "bar": "#e9edf2",
    "edge": "#c5ccd4",
    "faint": "#515963",
    "plus": "#d3f5db",
    "minus": "#ffe3e0",
    "keyword": "#a0111f",
    "type": "#622cbc",
    "builtin": "#0349b4",
    "number": "#023b95",
    "string": "#0a4a6e",
    "preproc": "#702c00",
    "comment": "#4a5560",
}
DARK = {
    "ink": "#e6edf3",
    "paper": "#171c24",
    "bar": "#242b36",
    "edge": "#444c58",
    "faint": "#a7b0bc",
    "plus": "#12381f",
    "minus": "#4a191c",
    "keyword": "#ff9c95",
    "type": "#d9b8ff",
    "builtin": "#8fc7ff",
    "number": "#a9d8ff",
    "string": "#a5e3d0",
    "preproc": "#ffb866",
    "comment": "#b1bac4",
}
KINDS = (
    (Comment.Preproc, "preproc"),
    (Comment, "comment"),
    (Keyword.Type, "type"),
    (Keyword, "keyword"),
    (Name.Builtin, "builtin"),
    (Number, "number"),
    (String, "string"),
)


def theme(selector: str, light: dict[str, str], dark: dict[str, str]) -> str:
    """CSS that sets variables --warp-<name> on ``selector`` for a light and for a dark page.

    The book sets html[data-theme], JupyterLab body[data-jp-theme-light], Colab html[theme]; where
    none of them says a word, the reader's system decides.
    """
    day, night = (";".join(f"--warp-{k}:{v}" for k, v in c.items()) for c in (light, dark))
    silent = f"html:not([data-theme],[theme]) body:not([data-jp-theme-light]) {selector}"
    told = ('html[data-theme="dark"]', 'html[theme="dark"]', '[data-jp-theme-light="false"]')
    return (
        f"{selector}{{{day}}}\n"
        f"@media (prefers-color-scheme:dark){{{silent}{{{night}}}}}\n"
        f"{','.join(f'{page} {selector}' for page in told)}{{{night}}}\n"
        # The book's theme paints a light box behind every HTML output on a dark page.
        f".cell_output .text_html:has({selector})"
        "{background:none!important;color:inherit!important;padding:0!important}\n"
    )


STYLE = (
    theme(".warp-code", LIGHT, DARK)
    + """\
.warp-code{margin:.6em 0;border:1px solid var(--warp-edge);border-radius:6px;overflow:hidden;
 color:var(--warp-ink);background:var(--warp-paper);text-align:left}
.warp-code .w-head{margin:0;padding:.45em .9em;background:var(--warp-bar);color:var(--warp-ink);
 font:13px/1.45 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.warp-code .w-head p{margin:0;color:inherit;font:inherit;text-align:left}
.warp-code .w-head .w-note{color:var(--warp-faint)}
.warp-code .w-body{overflow-x:auto}
.warp-code .w-body:focus-visible{outline:2px solid var(--warp-builtin);outline-offset:-2px}
.warp-code .w-body pre{margin:0;padding:.6em 0;border:0;border-radius:0;box-shadow:none;
 background:none;color:inherit;white-space:pre;overflow:visible;width:max-content;min-width:100%;
 max-width:none;
 font:13px/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;tab-size:4}
.warp-code .w-line{display:inline-block;min-width:100%;vertical-align:top;padding-right:1em;
 box-sizing:border-box;text-decoration:none;color:inherit;background:none}
.warp-code ins.w-line{background:var(--warp-plus)}
.warp-code del.w-line{background:var(--warp-minus)}
.warp-code .w-no{display:inline-block;width:4ch;padding-right:1ch;text-align:right;
 color:var(--warp-faint);user-select:none;-webkit-user-select:none}
.warp-code .w-no::before{content:attr(data-n)}
.warp-code .w-cost{color:var(--warp-ink);background:var(--warp-bar);user-select:none;
 -webkit-user-select:none}
"""
    + "".join(f".warp-code .w-{kind}{{color:var(--warp-{kind})}}\n" for _, kind in KINDS)
)


@dataclass(frozen=True, repr=False)
class Listing:
    """Source that displays itself: ``html`` in a notebook, ``text`` everywhere else."""

    html: str
    text: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


def show(variant: str | Any) -> Listing:
    """Show the source of 'topic/NN_idea', or of a Triton kernel.

    Raises LookupError with the list of kernels there are.
    """
    return listing(source.find(variant) if isinstance(variant, str) else variant.path)


def diff(old: str, new: str) -> Listing:
    """Show what the code of ``new`` changes in the code of ``old``, both 'topic/NN_idea'.

    Added lines begin with +, removed ones with -; line numbers are those of the file that holds
    the line. Of the header comments only 'Changed:' is shown, and a kernel's new name is no edit:
    a step is judged by its code. The display says so where that leaves something out.
    """
    before, after = source.find(old), source.find(new)
    parsed = [source.parse(path) for path in (before, after)]
    rows, note = _changes(*parsed)
    title = f"{_name(before)} → {after.name if before.parent == after.parent else _name(after)}"
    said = parsed[1].header.fields.get("Changed")
    changed = [" ".join(f"Changed: {said}".split())] if said else []
    body = [_row(sign, number, code) for sign, number, code, _ in rows]
    plain = [f"{sign}{line}".rstrip() for sign, _, _, line in rows]
    text = "\n".join([f"--- {_name(before)}", f"+++ {_name(after)}", *changed, note, *plain])
    return Listing(_frame(title, [*changed, note], body), text)


def listing(
    code: str | Path, margin: dict[int, str] | None = None, head: str | None = None
) -> Listing:
    """Show source lines with numbers and what some of them cost.

    code: a Path, or the text itself. margin: {line number: short text}; on a page it stands under
    the line, so that the code stays in sight on a phone, in plain text before it. head: the
    caption; by default the file's path. Raises ValueError for a cost of a line that is not there.
    """
    text = code.read_text(encoding="utf-8") if isinstance(code, Path) else code
    head = head or (_name(code) if isinstance(code, Path) else "CUDA source")
    margin = {line: str(cost) for line, cost in (margin or {}).items()}
    lexer = PythonLexer if isinstance(code, Path) and code.suffix == ".py" else CudaLexer
    lines = list(_lines(text, lexer))
    if margin and not all(1 <= line <= len(lines) for line in margin):
        lost = next(line for line in margin if not 1 <= line <= len(lines))
        raise ValueError(
            f"line {lost} of the margin is not in {head}, which has {len(lines)} lines."
        )
    width = max(map(len, margin.values()), default=0)
    body, plain = [], []
    for number, (line, coloured) in enumerate(lines, 1):
        cost = margin.get(number, "")
        body.append(_row("", number, coloured))
        if cost:
            indent = " " * (len(line) - len(line.lstrip()))
            body.append(_row("", "", f"{indent}↑ {escape(cost)}", "w-line w-cost"))
        plain.append(f"{cost:>{width}} | {line}" if width else line)
    return Listing(_frame(head, [], body), "\n".join(plain))


def _lines(text, lexer=CudaLexer):
    """Yield each line of source as (plain, HTML)."""
    plain, coloured = "", ""
    for token, value in lexer(stripnl=False).get_tokens(text.rstrip("\n") + "\n"):
        kind = next((name for group, name in KINDS if token in group), None)
        for piece in re.split(r"(\n)", value):
            if piece == "\n":
                yield plain, coloured
                plain, coloured = "", ""
            elif piece:
                plain += piece
                safe = escape(piece)
                coloured += f'<span class="w-{kind}">{safe}</span>' if kind else safe


def _changes(before, after):
    """Return the rows (sign, line number, HTML, text) of a diff, and a note on what it leaves out.

    before, after: each a source.Source.
    Three lines around each change are kept, and rows with the sign '…' stand between two changes.
    """
    names = [before.entry, after.entry]
    skip_a, skip_b = before.header.lines, after.header.lines
    a, b = list(_lines(before.text))[skip_a:], list(_lines(after.text))[skip_b:]
    same_name = [re.sub(rf"\b{names[0]}\b", names[1], line) for line, _ in a]
    matcher = SequenceMatcher(None, same_name, [line for line, _ in b], autojunk=False)
    rows = []
    for group in matcher.get_grouped_opcodes(3):
        rows += [("…", "", "", "")] if rows else []
        for what, a1, a2, b1, b2 in group:
            if what != "equal":
                rows += [("-", skip_a + i + 1, a[i][1], a[i][0]) for i in range(a1, a2)]
            sign = " " if what == "equal" else "+"
            rows += [(sign, skip_b + i + 1, b[i][1], b[i][0]) for i in range(b1, b2)]
    renamed = f"; the kernel's name, {names[0]} → {names[1]}" if names[0] != names[1] else ""
    if not rows:
        return rows, f"The code is the same. Left out: the header comments{renamed}."
    return rows, f"Left out: the header comments{renamed}."


def _name(path):
    """Name a file as a reader finds it: from the project's folder down."""
    path = Path(path)
    if path.is_relative_to(source.KERNELS):
        return f"kernels/{path.relative_to(source.KERNELS).as_posix()}"
    return path.name


def _row(sign, number, code, style="w-line"):
    tag = {"+": "ins", "-": "del"}.get(sign, "span")
    mark = f"{sign} " if sign else ""
    return (
        f'<{tag} class="{style}"><span class="w-no" data-n="{number}"></span>{mark}{code}</{tag}>'
    )


def _frame(head, notes, rows):
    said = "".join(f'<p class="w-note">{escape(note)}</p>' for note in notes)
    body = "\n".join(rows)
    return (
        f'<div class="warp-code"><style>{STYLE}</style>'
        f'<div class="w-head"><p>{escape(head)}</p>{said}</div>'
        f'<div class="w-body" tabindex="0" role="region" aria-label="{escape(head)}">'
        + (f"<pre>{body}</pre>" if rows else "")
        + "</div></div>"
    )

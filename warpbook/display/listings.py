"""Show kernels as highlighted source: show and diff, in JupyterLab, Colab and the built book.

Where a script runs, listings.js gives each listing a button that copies its code.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pygments.lexers import CudaLexer, PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String

from warpbook.launch import header, source
from warpbook.launch.declarations import FunctionText, Structure, live, without_comments

LONG = 60  # rows of a diff, beyond which it folds

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
.warp-code,.warp-code :is(.w-part,.w-fold){position:relative}
.warp-code .w-part+.w-part{border-top:1px solid var(--warp-edge)}
.warp-code .w-head{margin:0;padding:.45em 5.5em .45em .9em;
 background:var(--warp-bar);color:var(--warp-ink);
 font:13px/1.45 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.warp-code .w-head p{margin:0;color:inherit;font:inherit;text-align:left}
.warp-code .w-head .w-note{color:var(--warp-faint)}
.warp-code .w-body{overflow-x:auto;min-width:0;margin:0;box-sizing:border-box}
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
.warp-code .w-gap{color:var(--warp-faint);user-select:none;-webkit-user-select:none}
.warp-code .w-fold{margin:0;padding:0;border:0;border-top:1px solid var(--warp-edge)}
.warp-code .w-fold summary{margin:0;padding:.45em 5.5em .45em .9em;color:var(--warp-ink);
 background:var(--warp-bar);font:13px/1.45 system-ui,sans-serif;cursor:pointer}
.warp-code :is(summary,.w-copy):focus-visible{outline:2px solid var(--warp-builtin);
 outline-offset:-2px}
.warp-code .w-copy{position:absolute;top:.25em;right:.4em;min-height:2em;margin:0;padding:.1em .6em;
 border:1px solid var(--warp-edge);border-radius:4px;color:var(--warp-ink);
 background:var(--warp-paper);font:12px/1.5 system-ui,sans-serif;cursor:pointer}
@media print{.warp-code .w-copy{display:none}}
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


def show(variant: str | Any, only: str | Sequence[str] = ()) -> Listing:
    """Show the source of 'topic/NN_idea', or of a Triton kernel.

    only: the name of a function, or several; then these are shown, each with the comment above it,
    and the whole file is folded below. They may also be functions of the topic's parts.cuh, where
    the file includes it.
    Raises LookupError with the list of kernels, or of functions, there are.
    """
    path = source.find(variant) if isinstance(variant, str) else variant.path
    names = (only,) if isinstance(only, str) else tuple(only)
    return _excerpt(path, names) if names else listing(path)


def diff(old: str, new: str) -> Listing:
    """Show what the code of ``new`` changes in the code of ``old``, both 'topic/NN_idea'.

    Added lines begin with +, removed ones with -; line numbers are those of the file that holds
    the line. Of the header comments only 'Changed:' is shown, and a kernel's new name is no edit:
    a step is judged by its code. The display says so where that leaves something out. A long diff
    is folded behind the first changes.
    """
    before, after = source.find(old), source.find(new)
    parsed = [source.parse(path) for path in (before, after)]
    rows, note = _changes(*parsed)
    title = f"{_name(before)} → {after.name if before.parent == after.parent else _name(after)}"
    said = parsed[1].header.fields.get("Changed")
    changed = [" ".join(f"Changed: {said}".split())] if said else []
    seen = _unfolded(rows)
    body = [_row(sign, number, code) for sign, number, code, _ in rows]
    fold = None
    if seen < len(rows):
        signs = [sign for sign, *_ in rows[seen:]]
        what = "The rest of the change" if seen else "The change"
        added, removed = signs.count("+"), signs.count("-")
        fold = f"{what}: {added} added, {removed} removed lines", body[seen:]
    plain = [f"{sign}{line}".rstrip() for sign, _, _, line in rows]
    text = "\n".join([f"--- {_name(before)}", f"+++ {_name(after)}", *changed, note, *plain])
    part = _part(title, [*changed, note], body[:seen], fold, cut=2)
    return Listing(_frame(part), text)


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
    lines = list(_lines(text, _lexer(code)))
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
    return Listing(_frame(_part(head, [], body)), "\n".join(plain))


def script(name: str) -> str:
    """The tag of a script of this folder, 'listings.js', without what no browser needs: comments
    and indents. A page keeps the first of equal ones.
    """
    return f"<script data-once>\n{_code(name)}\n</script>"


@cache
def _code(name):
    text = re.sub("  // .*", "", Path(__file__).with_name(name).read_text(encoding="utf-8"))
    lines = map(str.strip, text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _excerpt(path, names):
    """The listing of the functions with these names, of a file and of the header it includes."""
    code = live(without_comments(source.read(path))) if path.suffix != ".py" else ""
    files = [file for file in (path, source.included(path, code)) if file]
    there = {file: _functions(file) for file in files}
    chosen: dict = {file: [] for file in files}
    for name in dict.fromkeys(names):
        home = next((f for f in files if any(found.name == name for found in there[f])), None)
        if not home:
            known = [list(dict.fromkeys(found.name for found in there[f])) for f in files]
            near = source.did_you_mean(name, sum(known, []))
            lists = [", ".join(known[0]) or "none"]
            lists += [f"in {source.PARTS}: {', '.join(more)}" for more in known[1:]]
            raise LookupError(
                f"{_name(path)} has no function '{name}'.{near} There are: {'; '.join(lists)}."
            )
        chosen[home] += [found for found in there[home] if found.name == name]
    parts, texts = [], []
    for file, found in chosen.items():
        if found:
            shown = sorted(found, key=lambda function: function.first)
            part, text = _some(file, shown)
            parts.append(part)
            texts.append(text)
    return Listing(_frame(*parts), "\n".join(texts))


def _some(path, functions):
    """The HTML and the text of some functions of a file, with the file folded below them."""
    lines = list(_lines(source.read(path), _lexer(path)))
    rows = [_row("", number, coloured) for number, (_, coloured) in enumerate(lines, 1)]
    body, plain, end = [], [], 0
    for function in functions:
        first = max(function.first, end + 1)
        if end and any(line.strip() for line, _ in lines[end : first - 1]):
            body.append(_row("", "", "…", "w-line w-gap"))
            plain.append("…")
        else:
            first = end + 1 if end else first
        body += rows[first - 1 : function.last]
        plain += [line for line, _ in lines[first - 1 : function.last]]
        end = max(end, function.last)
    head = f"{_name(path)}: {', '.join(dict.fromkeys(f.name for f in functions))}"
    fold = f"The whole file: {len(rows)} lines", rows
    return _part(head, [], body, fold), "\n".join([head, *plain])


def _functions(path):
    """The functions of a file; in that of a kernel, its header is no comment on one of them."""
    text = source.read(path)
    if path.suffix == ".py":
        tree = ast.walk(ast.parse(text))
        found = [node for node in tree if isinstance(node, ast.FunctionDef)]
        return [
            FunctionText(f.name, min([f, *f.decorator_list], key=_line).lineno, f.end_lineno or 0)
            for f in sorted(found, key=_line)
        ]
    top = header.read(text).lines
    return [
        FunctionText(f.name, max(f.first, top + 1), f.last) for f in Structure(text).functions()
    ]


def _line(node):
    return node.lineno


def _unfolded(rows):
    """How many rows of a diff are seen: all, or where they are many, the first changes of them."""
    if len(rows) <= LONG:
        return len(rows)
    ends = [at for at, row in enumerate(rows[: LONG + 1]) if row[0] == "…"]
    return ends[-1] if ends else 0


def _lexer(code):
    return PythonLexer if isinstance(code, Path) and code.suffix == ".py" else CudaLexer


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
    style = "w-line w-gap" if sign == "…" else style
    mark = f"{sign} " if sign else ""
    return (
        f'<{tag} class="{style}"><span class="w-no" data-n="{number}"></span>{mark}{code}</{tag}>'
    )


def _frame(*parts):
    inside = "".join(parts) + script("listings.js")
    return f'<div class="warp-code"><style>{STYLE}</style>{inside}</div>'


def _part(head, notes, rows, fold=None, cut=0):
    """Some rows under a head, and what folds below them.

    fold: (summary, rows). cut: how many letters before the code of each row are none of it.
    """
    said = "".join(f'<p class="w-note">{escape(note)}</p>' for note in notes)
    html = f'<div class="w-part"><div class="w-head"><p>{escape(head)}</p>{said}</div>'
    html += _body(head, rows, cut) if rows or not fold else ""
    if fold:
        summary, more = fold
        html += f'<details class="w-fold"><summary>{escape(summary)}</summary>'
        html += _body(f"{head.partition(': ')[0]}: {summary}", more, cut) + "</details>"
    return html + "</div>"


def _body(label, rows, cut):
    signs = f' data-cut="{cut}"' if cut else ""
    pre = "<pre>" + "\n".join(rows) + "</pre>" if rows else ""
    return (
        f'<div class="w-body" tabindex="0" role="region" aria-label="{escape(label)}"{signs}>'
        f"{pre}</div>"
    )

"""claim: a sentence about performance that must hold, beside the measurement it rests on."""

import ast
import contextlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from html import escape
from string import Formatter

from warpbook import results
from warpbook.display.predictions import prose
from warpbook.launch.backend import GPU
from warpbook.launch.wording import UNIT

FUNCTIONS = {"abs": abs, "min": min, "max": max}
# What a check may be made of; with a Call only of FUNCTIONS, and a Constant only a number.
GRAMMAR = (
    ast.Compare,
    ast.GtE,
    ast.Gt,
    ast.LtE,
    ast.Lt,
    ast.Eq,
    ast.NotEq,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.Not,
    ast.USub,
    ast.BinOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
)
WORDS = {
    ast.GtE: "at least",
    ast.Gt: "more than",
    ast.LtE: "at most",
    ast.Lt: "less than",
    ast.Eq: "exactly",
    ast.NotEq: "not",
}
TURNED = {ast.GtE: ast.LtE, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.Lt: ast.Gt}  # 2 <= x is x >= 2
SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "*": "×", "-": "−"}
MISSING = "(not measured)"


def claim(sentence: str, check: str, **measured: float) -> "Claim":
    """State a sentence about performance beside the measurement it rests on.

    sentence: a format string; its fields are the keyword arguments, the measured numbers; `code`
    in it stands in backticks.
    check: what the numbers must meet, an expression over their names: '1.08 <= ratio <= 1.20'. It
    takes numbers, comparisons, and, or, not, + - * /, abs, min and max. The sentence does not
    repeat it: on a page the tick behind the sentence opens '(checked: 1.08 to 1.20)'.
    On a GPU a claim that does not hold reads 'not on this GPU', and a recording refuses the page.
    With no GPU, a claim that rests on a time (a NaN) reads 'needs a GPU', and one that rests on
    counts alone raises AssertionError when it does not hold: counts are the same everywhere.
    Raises ValueError for a check that is no such expression, and TypeError for a name that was not
    measured or a measured one that neither sentence nor check uses.
    """
    made = state(sentence, check, measured)
    if made.status == "not on this GPU" and not GPU:
        numbers = ", ".join(f"{name} = {value}" for name, value in measured.items())
        said = f"{made.text} (checked: {made.checked}; {numbers})"
        raise AssertionError(f"a claim does not hold: {said}")
    if made.status != "needs a GPU":
        results.add_claim(sentence, made.status, made.text, made.checked)
    return made


def state(sentence: str, check: str, measured: Mapping[str, float]) -> "Claim":
    """Return what ``claim`` does, and raise what it does, but for a claim that does not hold."""
    if not measured:
        raise TypeError(
            "a claim needs the number it rests on: claim('...{x:.1f}...', 'x > 2', x=x)."
        )
    specs = _specs(sentence, measured)
    rule = _Check(check, measured)
    unused = measured.keys() - specs.keys() - rule.names
    if unused:
        raise TypeError(f"claim: neither sentence nor check uses {', '.join(sorted(unused))}.")
    text = _Sentence().format(sentence, **measured)
    text = re.sub("\0(?: ?%)?", MISSING, text)
    known = not any(math.isnan(float(value)) for value in measured.values())
    if known and rule.holds(measured):
        status = "holds"
    else:
        status = "not on this GPU" if known or GPU else "needs a GPU"
    return Claim(status, text, rule.words(specs), measured if known else {})


def worded(sentence: str, check: str, names: Iterable[str]) -> str:
    """Return how a claim words its check, whatever its numbers are."""
    some = dict.fromkeys(names, 0)
    return _Check(check, some).words(_specs(sentence, some))


class Claim:
    """A checked sentence; ``status`` is 'holds', 'not on this GPU' or 'needs a GPU'.

    text: the sentence with its numbers. checked: what they had to meet, in words. numbers: by name;
    the HTML keeps them, so that a claim can be worded anew and nothing is measured again.
    """

    def __init__(self, status, text, checked="", numbers=()):
        self.status, self.text, self.checked = status, text, checked
        numbers = {n: v.item() if hasattr(v, "item") else v for n, v in dict(numbers).items()}
        self.numbers = numbers

    def __repr__(self):
        checked = f" (checked: {self.checked})" if self.checked else ""
        return f"Claim ({self.status}): {self.text}{checked}"

    def _repr_html_(self):
        said, checked = (
            prose(self.text),
            f"(checked: {prose(self.checked)})" if self.checked else "",
        )
        if self.status == "holds":
            html = f"{said}&nbsp;{_TICK.format(checked)}"
        else:
            words = {"not on this GPU": "✗", "needs a GPU": "–"}
            status = f"{self.status[0].upper()}{self.status[1:]}"
            html = f"{words[self.status]} <strong>{status}:</strong> {said} <em>{checked}</em>"
        html = UNIT.sub("&nbsp;", html).replace(" <em></em>", "")
        numbers = f" data-numbers='{escape(json.dumps(self.numbers))}'" if self.numbers else ""
        return f'<style>{_STYLE}</style><div class="warp-claim"{numbers}>{html}</div>'


# A claim is a sentence of the text: only its tick is more, which opens the bounds in the same line.
_STYLE = """\
.warp-claim{margin:0 0 1em;overflow-wrap:anywhere}
.warp-claim :is(details,summary),.warp-claim details[open]::details-content{display:inline;margin:0}
.warp-claim summary{padding:.1em .3em;cursor:pointer;font-size:.9em;list-style:none;
 text-decoration:underline dotted;text-underline-offset:.25em}
.warp-claim summary:focus-visible{outline:2px solid;border-radius:3px}
@media print{.warp-claim details::details-content{display:inline;content-visibility:visible}}
"""
_TICK = (
    '<details class="w-check" data-lm-suppress-shortcuts="true">'
    '<summary aria-label="Holds. How it was checked" title="How it was checked">✓</summary>'
    " <em>{}</em></details>"
)


# The sentence -------------------------------------------------------------------------------------
class _Sentence(Formatter):
    """Fills a sentence in: a blank before the per cent sign, a mark where nothing was measured."""

    def format_field(self, value, spec):
        if math.isnan(float(value)):
            return "\0"
        return re.sub(r"(?<=\d)%$", " %", super().format_field(value, spec))


def _specs(sentence, measured):
    """Return {name: how the sentence formats it}. Raises TypeError for one that is not measured."""
    specs = {}
    for _, field, spec, _ in Formatter().parse(sentence):
        if field is not None:
            name = re.match(r"\w*", field)[0]
            _known(name, measured, "sentence")
            specs |= _specs(spec, measured)  # '{x:.{places}f}'
            specs.setdefault(name, spec)
    return specs


def _known(name, measured, where):
    if name not in measured:
        raise TypeError(
            f"claim: the {where} has '{name}', which was not measured; "
            f"measured are {', '.join(measured)}."
        )


# The check ----------------------------------------------------------------------------------------
class _Check:
    """An expression over measured names: evaluated, and said in words."""

    def __init__(self, text: str, measured: Mapping[str, float]):
        if not isinstance(text, str):
            raise _refused(f"{text!r} is a verdict; the check is the text that leads to it")
        self._text, self._alone = " ".join(text.split()), len(measured) == 1
        try:
            self._tree = ast.parse(self._text, mode="eval").body
        except (SyntaxError, ValueError):
            raise _refused(f"{text!r} is no expression") from None
        nodes = list(ast.walk(self._tree))
        for node in nodes:
            _allow(node)
        functions = [node.func for node in nodes if isinstance(node, ast.Call)]
        self._names = [n for n in nodes if isinstance(n, ast.Name) and n not in functions]
        self.names = {node.id for node in self._names}
        for name in self.names:
            _known(name, measured, "check")
        top = self._tree.op if isinstance(self._tree, ast.UnaryOp) else self._tree
        if not isinstance(top, (ast.Compare, ast.BoolOp, ast.Not)) or not self.names:
            raise _refused(f"{text!r} compares no measured number")

    def holds(self, measured):
        """Whether the numbers meet it. Its grammar leaves nothing that could do harm."""
        code = compile(ast.Expression(self._tree), "check", "eval")
        numbers = {name: float(measured[name]) for name in self.names}
        return bool(eval(code, {"__builtins__": {}, **FUNCTIONS, **numbers}))

    def words(self, specs):
        """'at least 1.1', '1.08 to 1.20': bounds look like the number in the sentence."""
        parts = self._tree.values if isinstance(self._tree, ast.BoolOp) else [self._tree]
        said = [_phrase(part, specs) for part in parts]
        if not all(said):
            return self._signs(specs)
        if self._alone:
            named = [phrase for _, phrase in said]
        else:
            named = [f"{name.replace('_', ' ')} {phrase}" for name, phrase in said]
        joint = isinstance(self._tree, ast.BoolOp) and isinstance(self._tree.op, ast.Or)
        return (" or " if joint else " and ").join(named)

    def _signs(self, specs):
        """The expression as it was written, with the signs of mathematics."""
        changes = [(n.col_offset, n.end_col_offset, n.id.replace("_", " ")) for n in self._names]
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                for one, other in [*zip(sides, sides[1:]), *zip(sides[1:], sides)]:  # noqa: B905
                    spec, bound = specs.get(getattr(_bare(one), "id", None)), _value(other)
                    if spec and bound is not None:
                        at = (other.col_offset, other.end_col_offset)
                        changes.append((*at, _bound(bound, spec)))
            if isinstance(node, ast.Call) and node.func.id == "abs":
                changes.append((node.col_offset, node.args[0].col_offset, "|"))
                changes.append((node.args[0].end_col_offset, node.end_col_offset, "|"))
        text, end, parts = self._text, 0, []
        for start, stop, new in sorted(set(changes)):
            parts += [_mathematics(text[end:start]), new] if start >= end else []
            end = max(end, stop)
        return "".join(parts) + _mathematics(text[end:])


def _refused(what):
    return ValueError(
        f"claim: the check {what}; write one such as '1.08 <= ratio <= 1.20', of measured names, "
        "numbers, comparisons, and, or, not, + - * /, abs, min, max."
    )


def _allow(node):
    """Raise ValueError unless a check may have such a node."""
    fine = isinstance(node, GRAMMAR)
    if isinstance(node, ast.Constant):
        fine = type(node.value) in (int, float)
    if isinstance(node, ast.Call):
        fine = getattr(node.func, "id", None) in FUNCTIONS and not node.keywords
    if not fine:
        what = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__.lower()
        raise _refused(f"cannot use {what}")


def _phrase(node, specs):
    """Return (name, 'at least 2') of a comparison of one name with numbers, else None."""
    if not isinstance(node, ast.Compare):
        return None
    sides, signs = [node.left, *node.comparators], [type(op) for op in node.ops]
    bounds = [_value(side) for side in sides]
    names = [side for side in sides if isinstance(side, ast.Name)]
    if len(names) != 1 or bounds.count(None) != 1:
        return None
    name = names[0].id
    said = [None if b is None else _bound(b, specs.get(name)) for b in bounds]
    match sides, signs:
        case [[ast.Name(), _], [sign]]:
            return name, f"{WORDS[sign]} {said[1]}"
        case [[_, ast.Name()], [sign]]:
            return name, f"{WORDS[TURNED.get(sign, sign)]} {said[0]}"
        case [[_, ast.Name(), _], [ast.LtE, ast.LtE]]:
            return name, f"{said[0]} to {said[2]}"
        case [[_, ast.Name(), _], [ast.Lt, ast.Lt]]:
            return name, f"between {said[0]} and {said[2]}"
    return None


def _bare(node):
    """The name in abs(name), else the node itself."""
    return node.args[0] if isinstance(node, ast.Call) and node.func.id == "abs" else node


def _value(node):
    """The value of a number, which may have a minus sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) else None


def _bound(value, spec):
    """Write a bound as the sentence writes its number, unless that would round it."""
    spec = (spec or "").lstrip("+")
    if spec.endswith("%"):
        return f"{round(100 * value, 9):,g} %".replace("-", "−")
    text = f"{value:,}"
    if spec and isinstance(value, float):
        with contextlib.suppress(ValueError):
            like = format(value, spec)
            text = like if float(like.replace(",", "")) == value else text
    return text.replace("-", "−")


def _mathematics(text):
    return re.sub("<=|>=|==|!=|[*-]", lambda sign: SIGNS[sign[0]], text)

"""predict and reveal: a number that the reader types in before it is measured.

On a page of the book the answer stays folded until the reader has given a number or skipped the
question; predictions.js does that. What belongs to an answer is marked in the notebook: its cells,
from the question on, have the tag `answer`. In a notebook the script compares the number with the
measured one, wherever outputs share a page. With no script nothing is folded: question and answer
stand.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from html import escape

import numpy as np

from warpbook import results
from warpbook.display.figures import DAY, NIGHT
from warpbook.display.listings import script, theme
from warpbook.launch.backend import GPU
from warpbook.launch.wording import number

_asked: dict[str, tuple[str, str]] = {}  # by key: question and unit, for reveal

_STYLE = (
    theme(
        ".warp-predict",
        *(
            {"s0": colours["s0"], "grid": colours["grid"], "scheme": scheme}
            for colours, scheme in ((DAY, "light"), (NIGHT, "dark"))
        ),
    )
    + """\
.warp-predict{margin:1em 0;padding:.3em .9em;border-left:4px solid var(--warp-s0);color:inherit;
 color-scheme:var(--warp-scheme);text-align:left;line-height:1.5}
.warp-predict p{margin:.3em 0;color:inherit}
.warp-predict .w-form{display:flex;flex-wrap:wrap;align-items:center;gap:.4em .7em;margin:.4em 0}
.warp-predict label{margin:0;color:inherit}
.warp-predict :is(button,input:not([type=checkbox])){min-height:2.4em;margin:0;padding:.2em .7em;
 font:inherit;color:inherit;background:none;border:1px solid var(--warp-grid);border-radius:4px}
.warp-predict button{cursor:pointer}
.warp-predict input:not([type=checkbox]){width:6em;padding:.2em .5em}
.warp-predict input[type=checkbox]{width:1.2em;height:1.2em;margin:.3em;vertical-align:middle;
 accent-color:var(--warp-s0)}
.warp-predict label:has(input){font-size:.85em}
.warp-predict input[aria-invalid=true]{border:2px dashed currentColor}
.warp-predict :is(button,input):focus-visible{outline:2px solid var(--warp-s0);outline-offset:2px}
.warp-predict [hidden]{display:none}
.warp-answer[hidden=until-found]{display:block!important}
.warp-answer:focus{outline:none}
html.warp-folding .tag_answer{display:none}
@media print{.warp-answer[hidden]{display:block!important;content-visibility:visible!important}
 .warp-predict .w-form{display:none}}
"""
)


@dataclass(frozen=True, repr=False)
class Prediction:
    """A question or its answer: ``html`` in a notebook or on a page, ``text`` everywhere else."""

    html: str
    text: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


def predict(key: str, question: str, unit: str) -> Prediction:
    """Ask the reader for a number before it is measured; ``reveal`` with the same key answers.

    On a page of the book the cells behind this that have the tag `answer` stay folded until a
    number is given or the question is skipped.
    key: a name, once on a page: letters, digits, '-' and '_'. question: a sentence; `code` in it
    stands in backticks. unit: of the number, such as 'times', 'ms', 'GB/s', 'sectors' or '%'.
    Raises ValueError for a key that is no name, or an empty question.
    """
    if not re.fullmatch(r"[\w-]+", key):
        raise ValueError(f"predict: a key is letters, digits, '-' and '_', not {key!r}.")
    if not question.strip():
        raise ValueError(f"predict: '{key}' needs a question, one sentence.")
    _asked[key] = question, unit
    said = f"<strong>Predict.</strong> {prose(question)}"
    unit_text = f" In {unit}." if unit else ""
    return Prediction(
        _html(f'data-predict="{_name(key, question)}" data-unit="{escape(unit)}"', said)
        + script("predictions.js"),
        f"Predict: {question}{unit_text}",
    )


def reveal(key: str, value: float) -> Prediction:
    """Show the measured number that ``predict`` with this key asked for.

    Once the reader has given a number, the factor between the two stands beside it.
    value: in the unit of the prediction. Where it was not measured, a NaN, the number that was
    recorded for the book stands in its place, with the name of the GPU.
    Raises LookupError when no ``predict`` with this key has run.
    """
    if key not in _asked:
        known = f" It was asked for: {', '.join(_asked)}." if _asked else ""
        raise LookupError(f"reveal: run the cell with predict('{key}', ...) first.{known}")
    question, unit = _asked[key]
    value = float(value)
    measured = "Measured"
    if np.isfinite(value):
        results.add_prediction(key, question, unit, value)
    else:
        gpu, value = results.prediction(key, question) or ("", value)
        measured = f"Measured on an {gpu}" if gpu.startswith("NVIDIA") else f"Measured on {gpu}"
    if not np.isfinite(value):
        text = "Not measured." if GPU else "Not measured: needs a GPU."
        return Prediction(_html("", f"<strong>{text}</strong>"), text)
    said = number(value)
    text = f"{measured}: {with_unit(said, unit)}"
    attributes = f'data-reveal="{_name(key, question)}" data-value="{value!r}" data-said="{said}"'
    told = "<script data-once>window.warpPredict?.scan()</script>"
    return Prediction(_html(attributes, f"<strong>{escape(text)}</strong>") + told, text)


def with_unit(said: str, unit: str) -> str:
    """Put a number before its unit; of one thing, a word such as 'sectors' loses its s."""
    if said == "1" and re.fullmatch(r"[a-z]{3,}s", unit) and unit != "times":
        unit = unit[:-1]
    return f"{said} {unit}".strip()


def prose(text: str) -> str:
    """Escape a sentence for HTML; what stands in backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _name(key, question):
    """What a prediction is known by in a reader's browser, for ever: no two questions share it."""
    return f"{key}-{sha256(question.encode()).hexdigest()[:6]}"


def _html(attributes, said):
    return f'<div class="warp-predict" {attributes}><style>{_STYLE}</style><p>{said}</p></div>'

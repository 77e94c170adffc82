"""Figures under the reader's hand: what a warp, an SM or a GPU does, while the reader turns knobs.

A figure is written once, in JavaScript: its rules, its sentence and its drawing are in the script
of its name. The table in figures.py says what stands around them. Tests run the scripts and compare
them with the emulator, with ``occupancy`` and with ``bench``.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape

import numpy as np

from warpbook.display.explore.figures import FIGURES
from warpbook.display.explore.scripts import frames, started
from warpbook.display.figures import DAY, NIGHT
from warpbook.display.listings import theme

_STYLE = (
    theme(".warp-explore", {**DAY, "scheme": "light"}, {**NIGHT, "scheme": "dark"})
    + """\
.warp-explore{margin:1em 0;padding:0;max-width:600px;color:inherit;color-scheme:var(--warp-scheme);
 text-align:left;font-size:.95rem;line-height:1.45;
figcaption{margin:0 0 .4em;padding:0;color:inherit;font-weight:600;text-align:left}
form{display:grid;grid-template-columns:repeat(auto-fit,minmax(14em,1fr));
 gap:.2em 1.4em;margin:0}
form[hidden]{display:none}
p{margin:.25em 0;color:inherit}
form p{display:flex;align-items:end;gap:.6em}
label{flex:1;min-width:0;margin:0;color:inherit}
form b{min-width:1.6em;line-height:2.4em;text-align:right}
:is(input,select,button){display:block;width:100%;min-height:2.4em;margin:0;
 font:inherit;color:inherit;accent-color:var(--warp-s0)}
input[type=number]{width:auto;min-width:5.2em;max-width:10em;field-sizing:content}
:is(select,button,[type=number]){padding:.2em .5em;background:none;
 border:1px solid var(--warp-grid);border-radius:4px}
select option{color:CanvasText;background:Canvas}
:is(input,select,button):focus-visible{outline:2px solid var(--warp-s0);
 outline-offset:2px}
[role=status]{min-height:4.4em;margin:.6em 0;font-weight:600}
svg{display:block;width:100%;height:auto;font:13px system-ui,sans-serif}
text{fill:currentColor}
.w-end{text-anchor:end}
.w-mid{text-anchor:middle}
.w-bold{font-weight:700}
path{fill:none;stroke:var(--warp-grid)}
.w-moved{fill:var(--warp-grid);fill-opacity:.3;stroke:currentColor;stroke-width:2}
.w-idle{fill:var(--warp-grid);fill-opacity:.3;stroke:none}
.w-tail{fill:var(--warp-s1);fill-opacity:.6;stroke:none}
.w-used{fill:var(--warp-s0);fill-opacity:.25;stroke:var(--warp-s0);stroke-width:.8}
.w-hot{fill:var(--warp-s1);fill-opacity:.25;stroke:var(--warp-s1);stroke-width:.8}
.w-next{stroke-dasharray:4 3}
.w-over{stroke:var(--warp-s1);stroke-width:2;stroke-dasharray:5 3}
.w-frame{stroke:currentColor;stroke-width:1.5}
.w-blue{stroke:var(--warp-s0);stroke-width:2.5}
.w-orange{stroke:var(--warp-s1);stroke-width:2.5}
.w-dot{fill:currentColor;stroke:none}
.w-bits{display:grid;grid-template-columns:repeat(16,1fr);gap:2px;
 button{padding:0;min-width:0}
 [aria-checked=true]{font-weight:700;border:2px solid var(--warp-s0)}
 @media(max-width:500px){grid-template-columns:repeat(8,1fr)}}
}
"""
)


@dataclass(frozen=True, repr=False)
class Explorable:
    """A figure with controls: ``html`` in a notebook or on a page, its ``text`` everywhere else."""

    html: str
    text: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


def explore(name: str, **state: int | str) -> Explorable:
    """Show a figure whose knobs the reader turns; beside it stands in words what it shows.

    name: 'sectors', what a request to global memory moves; 'banks', what one to shared memory waits
    for; 'waves', a grid on the SMs over time; 'sm', how blocks fill an SM; 'roofline', the least
    time of a kernel; 'tiles', what a tiled matrix product reads; 'tree', how the lanes of a warp
    add up; 'lookback', a scan in one pass over time; 'fragments', which lane of a warp holds which
    elements in a product of tensor cores; 'phases', whom a barrier in memory lets go on; 'online',
    a softmax in one pass; 'merge', two attentions become one; 'swizzles', a tile in shared memory;
    'ring', copies and products over time; 'pipeline', groups of warps that share the tensor cores;
    'order', what tiles at one time share; 'rotation', a ring of GPUs over time; 'scores', the tiles
    of an attention; 'timeline', copies and kernels of several streams; 'bits', what sixteen bits
    stand for in three types; 'lanes', what a warp asks
    for in a step of a matrix product; 'grid', which thread takes which element; 'cache', what of an
    array a small cache keeps; 'repeats', two kernels timed again and again.
    state: where the knobs stand at first, all others at their start.

    ``sectors``: lane n reads element stride*n + offset.
    stride: 0 to 32; offset: 0 to 31, in elements; width: of an element, 4, 8 or 16 bytes.

    ``banks``: 32 lanes read from a tile in row-major order.
    access: 'column', 'row', or 'pairs', a column of which two lanes each read an element; row:
    elements a row, 1 to 64; pad: elements left free behind each, 0 to 4; swizzle: 1 if the columns
    of row r are XORed with r modulo the largest power of two that divides the row, else 0; width:
    as above.

    ``waves``: blocks that all take one unit of time, and do not slow each other.
    blocks: of the grid, 1 to 9999; sms: 1 to 160; places: blocks that an SM holds at once, 1 to 32;
    slow: how many times as long as the others the last block takes, 1 to 9.

    ``sm``: what occupancy() answers, drawn.
    gpu: by its short name, such as 'T4', 'A100', 'H100' or 'RTX4090'; threads: of a block, 1 to
    1024; registers: of a thread, 1 to 255; shared: bytes of a block, static and dynamic, 0 to
    233472; carveout: KB of the SM's shared memory, 0 for the most, or 8, 16, 32, 64, 96, 100, 132,
    164, 196, 228, of which an SM takes the next that it has.

    ``roofline``: the least time of a kernel, the larger of two.
    flops: float32 operations, from 1000 to 10^15; bytes: to and from memory, from 1000 to 10^13;
    gpu: 'H100' or 'H200' with the rates that the book measured, or 'P100', 'V100', 'T4', 'A100' or
    'L4' with those of NVIDIA's data sheet.

    ``tiles``: c = a @ b with float32 matrices of n x n, where a block computes bm x bn elements of
    c and keeps bm x bk of a and bk x bn of b in shared memory.
    bm, bn: 1 to 256; bk: 1 to 128; n: 256 to 16384; all powers of two.

    ``tree``: how 32 lanes add up their values.
    tree: in shared memory 'interleaved' or 'sequential', by shuffles 'down' or 'xor'; levels: done
    so far, 0 to 5; lane: whose sum is followed, 0 to 31.

    ``fragments``: what each lane of a warp holds for mma.sync.
    product: 'm16n8k16', 'm16n8k8' or 'm16n8k32'; matrix: 'a', 'b', 'c', or 'ldmatrix' or 'trans'
    for what ldmatrix gives; lane: the one that is followed, 0 to 31.

    ``phases``: whom an mbarrier lets go on.
    threads: arrivals that a phase needs, 1 to 8; arrived: so far, 0 to 8; expected, landed: KiB
    that were announced, and that are there, 0 to 8; phase: how many are over, 0 to 9; parity: what
    a wait asks for, 0 or 1.

    ``lookback``: a scan in one pass over time.
    tiles: 2 to 24; places: blocks at once, 1 to 24; window: tiles that a look shows, a power of
    two, 1 to 32; load, look: the time that these take, 1 to 9; late: how many times as long tile 2
    loads, 1 to 9; waits: for 'earlier' or 'later' tiles.

    ``online``: a softmax of twelve elements in one pass.
    row: 'mixed', 'rising', 'falling', 'large', 'masked' or 'empty'; way: a maximum from the
    'lowest' float or from the 'infinite' one, or 'plain' for none; threads: 1, 2 or 4; done: steps,
    0 to 12.

    ``merge``: two attentions over parts of twelve keys become one over all.
    row: the scores, 'mixed', 'equal', 'peak', 'large' or 'masked'; first: keys in the first part, 0
    to 12; way: by their log-sum-exps, 'lse', as a plain average, 'mean', or by the greater one,
    'max'.

    ``swizzles``: a tile of 8 rows of 64 two-byte elements.
    swizzle: '32B', '64B', '128B', or 'none', 'none64', 'none32' and 'none16' for boxes with so many
    bytes a row; access: 'column' or 'row', what is read at once; row, column: of the piece of 16
    bytes that is followed, 0 to 7.

    ``ring``: copies and products over time.
    stages: 1 to 8; latency: from a copy's start until it has landed, 1 to 24; gap: from one copy's
    start to the next one's, at least, 1 to 12; product: time of one, 1 to 12; tiles: 2 to 24.

    ``pipeline``: attention on one SM of a Hopper GPU over time.
    wait: where a group waits, 'each', 'both', 'behind' or 'between'; order: 'free' or 'turns';
    groups: that multiply, 1 to 3; head: numbers in a row, 128 or 64.

    ``order``: c = a @ b with bfloat16 matrices of n x n in tiles of bm x bn.
    order: 'rows', 'groups' or 'hilbert'; group: rows of tiles in one, 1 to 32; n: 1024 to 16384,
    bm, bn: 64 to 256, powers of two; sms: tiles at once, 1 to 160; wave: the one that is drawn, 1
    to 32 or the last.

    ``rotation``: a ring of GPUs over time, each with its share of a sequence.
    attention: 'causal' or 'full'; deal: 'plain', 'striped' or 'zigzag'; gpus: 2 to 8; transfer: the
    time that keys travel, in percent of a whole block's, 0 to 200.

    ``timeline``: an array goes to the GPU, through a kernel, and back, in chunks that are dealt out
    to streams.
    chunks: 1 to 24; streams: 1 to 8; order: of issue, 'depth', chunk by chunk, or 'breadth', step
    by step; takes: what an engine takes next, the one that is 'ready' first or in the order of
    'issue'; copy, kernel: the time of a copy of everything, 1 to 12 ms, and of the kernel, 1 to 24;
    engines: for copies, 1 for both ways or 2.

    ``bits``: a number of sixteen bits.
    word: the sixteen bits as a whole number, 0 to 65535.

    ``lanes``: c = a @ b with matrices of 32 x 32 floats, an element a thread.
    wide: threads of a block along x, a power of two, 1 to 32; mapping: x counts the 'row' or the
    'column' of c; step: of the loop, 0 to 31; layout: b by 'rows' or by 'columns'; lane: the one
    that is followed, 0 to 31.

    ``grid``: elements, and the threads that take them.
    kernel: 'guard', one element a thread, or 'stride', a grid-stride loop; n: elements, 1 to 120;
    threads: of a block, 1 to 32; blocks: 1 to 16; follow: the index of which the figure says who
    takes it, 0 to 127.

    ``cache``: an array with rows of 16 elements, each of which is read four times.
    rows: 1 to 16; order: all of it by 'rows', by rows there and 'back', or by 'columns', or one
    part after the other: strips of columns, 'strip8', 'strip4', or tiles, 'tile8', 'tile4'; line:
    elements in a line, a power of two, 1 to 16; lines: in the cache, 1 to 64; stay: eighths of the
    array that may stay in it, 1 to 8; step: time, 256 is the end.

    ``repeats``: times of A and B, made up.
    difference: by how much less B takes; scatter: of the runs, from p20 to p80; drift: by how much
    all times grow from the first run to the last, like the two before in tenths of a percent, 0, 2,
    5, 10, 20, 30, 50 or 100; order: B and A in 'turns', or B 'after' A; runs: of each, 1 to 60;
    outliers: percent of them, 0 to 20; seed: which made-up day, 1 to 99.

    ``scores``: the tiles of an attention of n queries with as many keys.
    attention: 'causal' or 'full'; n: 16 to 8192; rows: queries of a tile, 64, 128 or 256; cols:
    keys of a tile, 32, 64, 128 or 256; step: which of its tiles each block of queries holds, 0 for
    none yet, to 257.

    Where the package mini-racer is installed, the output holds a first frame that needs no
    JavaScript.
    Raises LookupError for a figure that does not exist, TypeError for a knob that does not, and
    ValueError for a setting outside a knob's range.
    """
    if name not in FIGURES:
        raise LookupError(f"There is no figure '{name}'{_near(name, FIGURES)}.")
    figure = FIGURES[name]
    for key, value in state.items():
        if key not in figure.knobs:
            raise TypeError(f"explore('{name}') has no '{key}'{_near(key, figure.knobs)}.")
        choices = figure.knobs[key].choices
        if not isinstance(value, (int, str, np.integer)) or value not in choices:
            among = (
                f"a whole number from {choices[0]} to {choices[-1]}"
                if isinstance(choices, range)
                else f"one of {', '.join(map(repr, choices))}"
            )
            raise ValueError(f"explore('{name}'): {key} is {among}, not {value!r}.")
    full = {key: state.get(key, knob.start) for key, knob in figure.knobs.items()}
    full = {key: v if isinstance(v, str) else int(v) for key, v in full.items()}
    try:
        [(found, drawing)] = frames(name, [full])
        said = found["said"]
    except ImportError:  # no engine here: the reader's browser draws the first frame, too
        said, drawing = "", "<noscript>JavaScript draws this figure, and it is off.</noscript>"
    html = _html(name, full, said, drawing)
    return Explorable(html, f"{figure.title}. {said or 'A browser shows it.'}")


def _near(word: str, known: Iterable[str]) -> str:
    """What follows the name of a word that is none of those known."""
    near = get_close_matches(str(word), list(known), 1)
    meant = f"; did you mean '{near[0]}'?" if near else "."
    return f"{meant} It has to be one of {', '.join(known)}"


def _html(name, state, said, drawing):
    figure = FIGURES[name]
    return (
        f'<figure class="warp-explore" data-explore="{name}" '
        f'data-state="{escape(json.dumps(state))}"><style>{_STYLE}</style>'
        f"<figcaption>{figure.title}</figcaption><form hidden></form>"
        f'<p role="status" aria-live="polite">{said}</p>'
        f"<div>{drawing}</div><p>{figure.key}</p></figure>"
        f"<script>{started(name)}</script>"
    )

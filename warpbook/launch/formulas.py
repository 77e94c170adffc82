"""What a kernel is to compute, by the formula in its header, where a program can read that.

    // c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
    //               + beta * c[row, col]

A formula is read if it names one array element by element, and uses arrays, numbers, the four kinds
of arithmetic and sums. Most headers say it in words as well, and those are left to people.
"""

import ast
import operator
import re
from collections.abc import Mapping

import numpy as np

from warpbook.launch.declarations import closing

MOST = 2e9  # additions and multiplications, of a reference
_FORMULA = re.compile(r"^// (\w+)\[([\w, ]+)\] = (.+(?:\n//  +.+)*)\n//$", re.M)
_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class Unread(Exception):
    """The formula is more than a program can read here; the message says why."""


def reference(text: str, arrays: Mapping[str, np.ndarray], numbers: Mapping) -> dict:
    """Return {the array that a kernel's formula names: what it is to hold}, in float64.

    text: of the .cu file; arrays: as they were before the launch, by parameter; numbers: the
    scalars and the defines. Raises Unread for a formula in words, or one that is long to compute.
    """
    found = _FORMULA.findall(text)
    if len(found) != 1:
        raise Unread("its header has no formula, or several")
    name, axes, said = found[0]
    axes = axes.split(", ")
    if name not in arrays or arrays[name].ndim != len(axes) or len({*axes}) != len(axes):
        raise Unread(f"its header gives no formula for each element of {name}")
    shape = arrays[name].shape
    places = dict(zip(axes, np.ogrid[tuple(slice(n) for n in shape)], strict=True))
    values = _Values(arrays, {**numbers, **places}, float(np.prod(shape)))
    want = values.of(_parsed(re.sub(r"\n// +", " ", said)))
    return {name: np.broadcast_to(np.asarray(want, np.float64), shape)}


def _parsed(said):
    """The formula as Python's syntax tree, where x is x_, and 'sum over i of x' is _sum(i_, x_)."""
    text = re.sub(r"\bsum over (\w+) of ", r"@\1@ ", said)
    text = re.sub(r"(?<!@)\b([A-Za-z_]\w*)\b(?!@)", r"\1_", text)
    while "@" in text:  # the last sum, which holds no other, goes to the end of its bracket
        begin, name, inside = text.rpartition("@")[0].rpartition("@")[0], *_last_sum(text)
        end = closing(f"({inside}", 0) - 1
        text = f"{begin}_sum({name}_, {inside[:end]}){inside[end:]}"
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise Unread("its header gives the formula in words") from None


def _last_sum(text):
    """('i', what stands behind it) of the last '@i@' in a text."""
    return text.rpartition("@")[0].rpartition("@")[2], text.rpartition("@")[2]


class _Values:
    """Evaluates a syntax tree. work: the elements that one operation computes."""

    def __init__(self, arrays, names, work):
        self.arrays, self.names, self.work = arrays, names, work

    def of(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            value = self.names.get(node.id.removesuffix("_"))
            if isinstance(value, (int, float, np.generic, np.ndarray)):
                return value
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            return _ARITHMETIC[type(node.op)](self.of(node.left), self.of(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.of(node.operand)
        if isinstance(node, ast.Subscript):
            return self.element(*self.indexed(node))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_sum":
            return self.sum(node.args[0].id.removesuffix("_"), node.args[1])
        raise Unread("its header gives the formula in words")

    def indexed(self, node):
        """(the array, the trees of its indices) of a[row, i]."""
        array = self.arrays.get(getattr(node.value, "id", "").removesuffix("_"))
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if array is None or array.ndim != len(indices) or array.dtype.kind != "f":
            raise Unread("its header's formula names what is no array of floats")
        return array, indices

    def element(self, array, indices):
        places = tuple(np.asarray(self.of(index)) for index in indices)
        for place, size in zip(places, array.shape, strict=True):
            if place.dtype.kind not in "iu" or (place < 0).any() or (place >= size).any():
                raise Unread("its header's formula goes beyond an array's ends")
        return array[places].astype(np.float64)

    def sum(self, name, node):
        """The sum over a name, from 0 to the end of the axis that it stands alone for."""
        ends = {
            array.shape[axis]
            for part in ast.walk(node)
            if isinstance(part, ast.Subscript)
            for array, indices in [self.indexed(part)]
            for axis, index in enumerate(indices)
            if isinstance(index, ast.Name) and index.id == f"{name}_"
        }
        if len(ends) != 1 or name in self.names:
            raise Unread("its header's formula has a sum whose end cannot be told")
        (end,) = ends
        if end * self.work > MOST:
            raise Unread("a reference would take too long at this size")
        total = 0.0
        for value in range(end):
            inside = _Values(self.arrays, {**self.names, name: value}, self.work * end)
            total = total + inside.of(node)
        return total

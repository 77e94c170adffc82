"""The stand-in for CuPy: what it offers CuPy has, with parameters of the same names and order."""

import ast
import inspect
import re

import numpy as np
import pytest
from helpers import NOTEBOOKS

import warpbook.launch.numpy_cupy as stand_in
from warpbook.launch.source import KERNELS

cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install cupy-cuda12x")
KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
CLASSES = ["RawKernel", "cuda.Event", "cuda.Stream", "cuda.Graph", "cuda.Device"]
FUNCTIONS = [
    "asnumpy",
    "empty",
    "empty_like",
    "cuda.get_current_stream",
    "cuda.get_elapsed_time",
    "cuda.runtime.deviceSynchronize",
    "cuda.runtime.memcpyAsync",
    "cuda.alloc_pinned_memory",
    "random.default_rng",
    "random.permutation",
    "lib.stride_tricks.as_strided",
    "lib.stride_tricks.sliding_window_view",
]
# Parameters of other names, all first ones that nobody gives by name.
RENAMED = {
    "arange": "start_or_stop",
    "array": "object",
    "concatenate": "arrays",
    "stack": "arrays",
    "random.permutation": "x",
}


def of(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def positional(function):
    """Names of the parameters that may be given by position, or None where Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p.name for p in parameters if p.kind in KINDS and p.name != "self"]


def differs(ours, theirs):
    """The first parameter by position that has another name or place in CuPy, or None."""
    mine, its = positional(ours), positional(theirs)
    if mine is None or its is None:
        return None
    return next((a for a, b in zip(mine, its, strict=False) if a != b), None)


@pytest.mark.parametrize("name", stand_in.OFFERED)
def test_what_is_offered_cupy_has(name):
    assert hasattr(cupy, name) and hasattr(np, name)
    if callable(getattr(np, name)) and not isinstance(getattr(np, name), (type, np.ufunc)):
        assert differs(getattr(np, name), getattr(cupy, name)) == RENAMED.get(name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_what_cupys_takes(name):
    assert differs(of(stand_in, name), of(cupy, name)) == RENAMED.get(name)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_no_method_that_cupys_lacks(name):
    ours, theirs = of(stand_in, name), of(cupy, name)
    public = [n for n in vars(ours) if not n.startswith("_")]
    assert [n for n in public if not hasattr(theirs, n)] == []


def test_device_attributes_are_cupys():
    """CuPy's own list is the runtime's enumeration, under the names without cudaDevAttr."""
    text = inspect.getdoc(cupy.cuda.Device.attributes) or ""
    assert "cudaDevAttr" in text, "CuPy says where the names come from"
    assert "MultiProcessorCount" in stand_in.Device.attributes


def test_what_is_not_offered_is_refused_with_the_remedy():
    with pytest.raises(AttributeError, match="'linalg' is not in it. Begin the cell with %%gpu"):
        stand_in.linalg  # noqa: B018


def used(code):
    """The names behind ``cp.`` in Python code, '%%gpu' cells left out."""
    if code.startswith("%%gpu"):
        return set()
    tree = ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", code, flags=re.M))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "cp"
    }


# Named in a function that is called in cells for a GPU alone: 31's `compiled`.
NOT_CALLED = {"RawModule"}


def test_chapters_and_exercises_use_only_what_is_offered():
    import nbformat

    names = set()
    for path in NOTEBOOKS:
        cells = nbformat.read(path, 4).cells
        names |= set().union(*(used(c.source) for c in cells if c.cell_type == "code"))
    for path in KERNELS.glob("*/exercises/grading.py"):
        names |= used(path.read_text(encoding="utf-8"))
    assert names - set(dir(stand_in)) == NOT_CALLED
    assert used("cp.arange(3)\ncp.cuda.Event()") == {"arange", "cuda"}

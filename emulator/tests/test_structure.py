"""The modules import one another in one direction, and an operation cannot reach the scheduler."""

import ast
from pathlib import Path

import pytest

import warpemu

ROOT = Path(warpemu.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
    for path in sorted(ROOT.rglob("*.py"))
}
ABOVE = {"scheduler", "standstill", "launch", "program"}  # what runs operations and the sanitizer


def imported(name, text):
    """The modules of the package that a module imports, wherever in it."""
    found, folder = set(), name.split(".")[:-1]
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = folder[: len(folder) - node.level + 1] + (node.module or "").split(".")
        base = [part for part in base if part]
        for alias in node.names:
            inside = ".".join([*base, alias.name])
            found.add(inside if inside in MODULES else ".".join(base) or "__init__")
    return {known if known in MODULES else f"{known}.__init__" for known in found} - {name}


def circle(graph):
    """A way that leads back to where it began, or None."""
    done = set()

    def visit(name, way):
        if name in way:
            return [*way[way.index(name) :], name]
        if name not in done:
            for other in sorted(graph[name]):
                found = visit(other, [*way, name])
                if found:
                    return found
            done.add(name)
        return None

    return next(filter(None, (visit(name, []) for name in graph)), None)


GRAPH = {name: imported(name, text) for name, text in MODULES.items()}


def test_no_module_imports_itself_in_the_end():
    assert circle(GRAPH) is None


@pytest.mark.parametrize(
    "name", [name for name in MODULES if name == "state" or name.startswith(("ops.", "sanitizer."))]
)
def test_operations_and_the_sanitizer_know_nothing_of_what_runs_them(name):
    assert not GRAPH[name] & ABOVE


def test_the_stamps_know_none_of_the_rules_that_work_on_them():
    rules = {"bulk_copies", "wgmma_operands", "shared_accesses", "checker"}
    assert not GRAPH["sanitizer.shared_stamps"] & {f"sanitizer.{rule}" for rule in rules}


def test_a_circle_and_an_import_are_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    text = "from ..scheduler import Scheduler\nfrom . import op\nfrom .. import memory"
    assert imported("ops.mov", text) == {"scheduler", "ops.__init__", "memory"}

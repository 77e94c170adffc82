"""The rooms of the package import only downwards, and a chapter imports only what is public."""

import ast
import re
import tomllib

import nbformat
import pytest
from helpers import NOTEBOOKS, ROOT, named

import warpbook
import warpemu

# From the bottom up, as in the package's docstring; what a reader imports and types is on top.
ROOMS = [
    "profiles",
    "launch",
    "gpu",
    "results",
    "display",
    "measure",
    "recording",
    "grading",
    "__main__",
    "__init__",
]
GRADING = sorted((ROOT / "kernels").glob("*/exercises/grading.py"))
FOLDER_TESTS = re.compile(r"\btests/|\btests\.\w|[\"']tests[\"']")


def modules():
    """{dotted name: its text} of every module of the package."""
    found = {}
    for path in sorted((ROOT / "warpbook").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts)] = path.read_text(encoding="utf-8")
    return found


MODULES = modules()


def room(name):
    """'launch' for warpbook.launch.kernel; '__init__' for what the package itself holds."""
    return (name.split(".") + ["__init__"])[1]


def imported(name, text, known):
    """The modules of the package that a module imports, wherever in it, as names in ``known``."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join(filter(None, [*name.split(".")[: -node.level], base]))
            found |= {f"{base}.{alias.name}" for alias in node.names}
    found = {meant(other, known) for other in found if other.split(".")[0] == "warpbook"}
    return found - {name}


def meant(other, known):
    """The module that an imported name lies in: itself, its package, or the module that has it."""
    for candidate in (other, f"{other}.__init__", other.rpartition(".")[0]):
        if candidate in known:
            return candidate
    return f"{other.rpartition('.')[0]}.__init__"


def started(text):
    """The modules of the package that a module names in a text, which is how a child is started.
    The package's own table of public names, which it imports at first use, is no such text.
    """
    texts = [n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
    return {t for t in texts if isinstance(t, str) and re.fullmatch(r"warpbook(\.\w+)+", t)}


def upwards(known):
    """What reaches into a room above, or starts a process of another room: one sentence each."""
    found = []
    for name, text in known.items():
        height = ROOMS.index(room(name))
        found += [
            f"{name} imports {other}"
            for other in sorted(imported(name, text, known))
            if ROOMS.index(room(other)) > height
        ]
        if room(name) != "__init__":
            others = sorted(started(text))
            found += [f"{name} starts {other}" for other in others if room(other) != room(name)]
    return found


def cycles(known):
    """Modules that import themselves in the end, each with the way there."""
    graph = {name: imported(name, text, known) for name, text in known.items()}
    found, done = [], set()

    def visit(name, way):
        if name in way:
            found.append(" -> ".join([*way[way.index(name) :], name]))
        elif name not in done:
            for other in sorted(graph.get(name, ())):
                visit(other, [*way, name])
            done.add(name)

    for name in graph:
        visit(name, [])
    return found


def private(text):
    """What a text, a chapter's or an exercise's, imports of the package and is not public."""
    code = re.sub(r"^(\s*)[%!].*", r"\1pass", text, flags=re.M)
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.name.startswith("warpbook.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "warpbook":
            inside = node.module != "warpbook"
            names = [f"{node.module}.{a.name}" for a in node.names]
            found += [n for n in names if inside or n.split(".")[1] not in warpbook.__all__]
    return found


def code_of(path):
    """A chapter's code cells as one text."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def test_every_module_lies_in_a_room():
    assert {room(name) for name in MODULES} == set(ROOMS)
    listed = re.findall(r"^    (\w+)/? {2,}", warpbook.__doc__, re.M)
    assert listed == ROOMS[:-2], "the package's docstring lists the rooms from the bottom up"


def test_rooms_import_only_downwards():
    assert upwards(MODULES) == []


def beyond_the_border(emulator, book):
    """What crosses the border the wrong way: one sentence each. Both: {name of a module: text}."""
    inwards, outwards = re.compile(r"\bwarpbook\b"), re.compile(r"\bwarpemu\.(\w+)")
    found = [f"{name} knows of the book" for name, text in emulator.items() if inwards.search(text)]
    for name, text in book.items():
        doors = set(outwards.findall(text)) | {
            alias.name
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom) and node.module == "warpemu"
            for alias in node.names
        }
        found += [f"{name} reaches for {door}" for door in sorted(doors - set(warpemu.__all__))]
    return found


def test_the_emulator_knows_nothing_of_the_book_which_takes_the_front_door():
    folder = ROOT / "emulator" / "warpemu"
    emulator = {
        path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))
    }
    assert beyond_the_border(emulator, MODULES) == []


def test_the_emulators_tests_import_the_book_only_where_a_gpu_asks_for_the_drivers_tensor_maps():
    for path in sorted((ROOT / "emulator" / "tests").glob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"\s*(from|import) warpbook\b", line):
                assert line.strip() == "from warpbook.launch import tensor_maps", path
                assert line.startswith(" "), f"{path}: inside of a function"


@pytest.mark.parametrize(
    "emulator, book, said",
    [
        ("from warpbook.profiles import KB", "", "a knows of the book"),
        ("", "from warpemu.memory import owner_of", "b reaches for memory"),
        ("", "from warpemu import memory", "b reaches for memory"),
        ("", "import warpemu\nwarpemu.memory.owner_of(1)", "b reaches for memory"),
    ],
)
def test_a_way_across_the_border_is_found(emulator, book, said):
    assert beyond_the_border({"a": emulator}, {"b": book}) == [said]
    assert beyond_the_border({"a": ""}, {"b": "from warpemu import Finding, rules"}) == []


def test_no_module_imports_itself_in_the_end():
    assert cycles(MODULES) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_chapter_imports_only_what_is_public(path):
    assert private(code_of(path)) == []


@pytest.mark.parametrize("path", GRADING, ids=lambda path: path.parents[1].name)
def test_a_specification_imports_only_what_is_public(path):
    assert private(path.read_text(encoding="utf-8")) == []


def test_the_public_modules_are_those_whose_hints_mypy_reads():
    public = {*warpbook.PUBLIC, *warpbook.MODULES.values()}
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"][
        "files"
    ]
    names = {path.removesuffix(".py").removesuffix("/__init__") for path in read}
    assert {name.removeprefix("emulator/").replace("/", ".") for name in names} == public


def test_the_package_knows_nothing_of_its_tests():
    assert [name for name, text in MODULES.items() if FOLDER_TESTS.search(text)] == []


# Planted: each rule can fail.


SMALL = {
    "warpbook.__init__": "PUBLIC = {'warpbook.launch.program': ('run',)}",
    "warpbook.profiles": "KB = 1024",
    "warpbook.launch.__init__": "from .program import run",
    "warpbook.launch.program": "from . import header\nfrom warpbook.profiles import KB",
    "warpbook.launch.header": "import numpy",
    "warpbook.gpu.device": "def f():\n    from warpbook import launch",
    "warpbook.grading.grade": "CHILD = 'warpbook.grading.child'",
    "warpbook.grading.child": "from warpbook.grading import grade",
}


def test_a_small_package_without_a_fault():
    assert upwards(SMALL) == [] == cycles(SMALL)
    program = imported("warpbook.launch.program", SMALL["warpbook.launch.program"], SMALL)
    assert program == {"warpbook.launch.header", "warpbook.profiles"}


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("launch.header", "from warpbook.gpu.device import f", "imports warpbook.gpu.device"),
        ("launch.header", "from ..gpu import device", "imports warpbook.gpu.device"),
        ("launch.kernel", "import warpbook.grading.grade", "imports warpbook.grading.grade"),
        ("launch.kernel", "def f():\n    from warpbook import load", "imports warpbook.__init__"),
        ("launch.kernel", "[python, '-m', 'warpbook.gpu.doctor']", "starts warpbook.gpu.doctor"),
        ("launch.kernel", "X = 'warpbook.grading.child'", "starts warpbook.grading.child"),
    ],
)
def test_an_import_upwards_is_found(name, text, said):
    assert upwards({**SMALL, f"warpbook.{name}": text}) == [f"warpbook.{name} {said}"]


@pytest.mark.parametrize(
    "text",
    ["from .program import run", "from . import program", "def f():\n    from . import program"],
)
def test_a_cycle_is_found(text):
    way = "warpbook.launch.program -> warpbook.launch.header -> warpbook.launch.program"
    assert cycles({**SMALL, "warpbook.launch.header": text}) == [way]


@pytest.mark.parametrize(
    "text, found",
    [
        ("from warpbook import bench, cp\nimport warpbook, numpy", []),
        ("%pip install x\nfrom warpbook import source", ["warpbook.source"]),
        ("from warpbook.measure.bench import bench", ["warpbook.measure.bench.bench"]),
        ("def f():\n    import warpbook.results", ["warpbook.results"]),
    ],
)
def test_a_private_import_is_found(text, found):
    assert private(text) == found


@pytest.mark.parametrize("text", ["see tests/gpu", "python -m tests.faults", "ROOT / 'tests'"])
def test_a_word_of_the_tests_is_found(text):
    assert FOLDER_TESTS.search(text)
    assert not FOLDER_TESTS.search("It tests. The tests run it; a test compares them.")

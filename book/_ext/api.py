"""The page 'The package' is made from the package's own signatures and docstrings.

Every public name has a heading of its own, so that a chapter may link to it: package.md#load.
A docstring is plain text: paragraphs, code indented by four spaces, ``code`` in double backticks,
and items that begin with the names they are about ("grid, block: an int or a tuple").
"""

import ast
import dataclasses
import inspect
import re
import typing
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

from sphinx.domains.python import ObjectEntry

import warpbook

PAGE = "package"
# What a reader does, and the names for it. A test asks that every public name stands here once.
GROUPS = {
    "Load and launch": [
        "cp",
        "pick",
        "device",
        "load",
        "load_path",
        "triton_kernel",
        "ceil_div",
        "tensor_map",
        "CompileError",
    ],
    "Check the result": ["poisoned", "check", "Finding"],
    "Measure time": ["bench", "feasible", "peer", "claim"],
    "Ask before measuring": ["predict", "reveal"],
    "Look inside": [
        "show",
        "diff",
        "trace",
        "trace_file",
        "ptx",
        "cubin",
        "sass",
        "operand_banks",
        "ptxas",
        "resources",
        "occupancy",
        "SM_LIMITS",
        "wavefronts",
    ],
    "Draw figures": [
        "ladder",
        "roofline",
        "draw_sectors",
        "draw_banks",
        "explore",
        "figure_of",
        "COLOURS",
        "INK",
        "GRID",
    ],
    "Ask the profiler": ["profile", "METRICS", "STALLS", "committed_counters", "launch_line"],
    "Give and grade exercises": [
        "start",
        "grade",
        "exercise",
        "Case",
        "out",
        "drawn",
        "most",
        "least",
        "forbids",
        "requires",
        "through",
    ],
    "Kernels on the CPU": ["cpu"],
    "Windows in the L2 cache": ["l2_windows"],
}
PRIVATE = {"Exercise"}  # returned, but of no use to a reader
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|$~#])")
NAMED = r"\*?[a-z_]\w*(?:, [a-z]\w*)*: "  # what an item begins with
VERDICT = r"(?:Raises|Returns) "
# 'literals', words with an underscore such as gb_per_s or __syncthreads(), public names in capitals
UPPER = "|".join(
    name for name in warpbook.__all__ if name.isupper() or name[1:] != name[1:].lower()
)
LIKE_CODE = (
    r"(?<![\w/*.])('[^'\s][^'\n]*'(?!\w)"
    r"|\*?[\w/.]*_[\w/.]*\w(?:\(\))?|_\w+\(\)"
    rf"|\b(?:{UPPER})\b(?:\[i\])?)"
)


def setup(app):
    app.connect("source-read", fill)
    app.connect("env-updated", note)
    return {"parallel_read_safe": True}


def note(app, env):
    """List the public names in objects.inv, so that other projects can link to `warpbook.load`."""
    domain = env.get_domain("py")
    for names in GROUPS.values():
        for name in names:
            what = getattr(warpbook, name)
            kinds = {inspect.isclass: "class", inspect.isfunction: "function"}
            kind = next((word for is_one, word in kinds.items() if is_one(what)), "data")
            domain.objects[f"warpbook.{name}"] = ObjectEntry(PAGE, slug(name), kind, aliased=False)


def fill(app, page, source):
    if page == PAGE:
        source[0] = filled(source[0])


def filled(text):
    """The page's text, each of its lines '% ... come here' replaced by what it announces."""
    parts = {
        "the names of the set-up cell": setup_cell(),
        "all names": reference(),
        "the stand-in's names": stand_in(),
    }
    for name, part in parts.items():
        mark = f"% {name} come here\n"
        if text.count(mark) != 1:
            raise ValueError(f"{PAGE}.md needs the line '{mark.strip()}' once.")
        text = text.replace(mark, part)
    return text


# What the page says.


def setup_cell():
    """The set-up cell, and what each of its names does in a sentence."""
    from warpbook.recording.chapters import SETUP

    names = [
        alias.name
        for node in ast.walk(ast.parse(SETUP))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    items = [f"- {link(name)}: {inline(sentence(name), name)}" for name in names]
    return f"```python\n{SETUP}\n```\n\n" + "\n".join(items) + "\n"


def reference():
    """All groups with all their names."""
    seen = set()  # returned classes that have been described
    parts = []
    for title, names in GROUPS.items():
        parts += [f"## {title}", *(entry(name, seen) for name in names)]
    return "\n\n".join(parts) + "\n"


def entry(name, seen):
    """One public name: a heading, how it is called, its docstring, what it returns."""
    what = getattr(warpbook, name)
    if name in warpbook.MODULES:
        functions = [f"{name}.{n}" for n, f in vars(what).items() if public_function(n, f, what)]
        own = f"### `{name}`\n\n{rendered(inspect.getdoc(what), name)}"
        return "\n\n".join([own, *(function(n, attribute(n), seen) for n in functions)])
    if name == "cp" or not callable(what):
        return f"### `{name}`\n\n{constant(name, what)}"
    return function(name, what, seen)


def public_function(name, what, module):
    known = inspect.isfunction(inspect.unwrap(what)) if callable(what) else False
    return known and name[0] != "_" and what.__module__ == module.__name__


def attribute(name):
    """The object behind 'load' or 'cpu.load'."""
    first, *rest = name.split(".")
    found = getattr(warpbook, first)
    for part in rest:
        found = getattr(found, part)
    return found


def function(name, what, seen):
    parts = [f"### `{name}`", call(name, what), rendered(inspect.getdoc(what), name)]
    returned = result(what)
    if returned and returned not in seen and returned.__name__ not in PRIVATE:
        seen.add(returned)
        parts.append(described(name, returned))
    return "\n\n".join(parts)


def call(name, what):
    """How it is called, and what comes back."""
    if inspect.isclass(what) and issubclass(what, Exception):
        return f"An exception: `except {name} as error`."
    back = returns(what)
    return f"`{name}{arguments(what)}`" + (f" → `{back}`" if back else "")


def arguments(what, skip=()):
    """A signature without type hints; a default that has a public name is called by it."""
    found = inspect.signature(what)
    kept = []
    for parameter in found.parameters.values():
        if parameter.name not in skip:
            value = default(what, parameter)
            kept.append(parameter.replace(annotation=parameter.empty, default=value))
    return str(found.replace(parameters=kept, return_annotation=found.empty))


class Named:
    """A default as a signature shows it."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def default(what, parameter):
    """A parameter's default: the public name of a table, a class's name, else the value."""
    value = parameter.default
    if dataclasses.is_dataclass(what) and repr(value) == "<factory>":
        (field,) = (f for f in dataclasses.fields(what) if f.name == parameter.name)
        return field.default_factory()
    known = [name for name in tables() if getattr(warpbook, name) is value]
    if known or inspect.isclass(value) and value is not parameter.empty:
        return Named(known[0] if known else value.__name__)
    return value


@cache
def tables():
    """The public names of tables, such as METRICS."""
    found = (name for names in warpbook.PUBLIC.values() for name in names)
    return [name for name in found if isinstance(getattr(warpbook, name), (dict, tuple))]


def returns(what):
    """The return type as the source writes it, without quotes and modules; '' for none."""
    if inspect.isclass(what):
        return ""
    node = ast.parse(inspect.getsource(inspect.unwrap(what))).body[0]
    text = ast.unparse(node.returns).strip("'\"") if node.returns else ""
    if text in ("None", "Any", "Choice") or "Callable" in text:  # the docstring says more
        return ""
    return re.sub(r"\b[a-z]\w*\.(?=[A-Z])", "", text)


def result(what):
    """The class of the package that a function returns, or None."""
    if inspect.isclass(what):
        return None
    found = typing.get_type_hints(inspect.unwrap(what)).get("return")
    return found if inspect.isclass(found) and found.__module__.startswith("warpbook.") else None


def described(name, returned):
    """What a function returns: the class's docstring, its methods and fields."""
    own = inspect.getdoc(returned)
    parts = [f"#### What `{name}` returns: `{returned.__name__}`", rendered(own, name)]
    parts += members(returned, own)
    if returned.__name__ == "Trace":  # its counts are those of the emulator's report
        from warpemu import counters

        fields = ", ".join(f"`{field}`" for field in counters.FIELDS)
        parts.append(f"Its counts, for the launch and for each line: {fields}.")
        parts += [rendered(without_title(c), name) for c in (counters.Counters, counters.Report)]
    return "\n\n".join(parts)


def without_title(what):
    return inspect.getdoc(what).partition("\n\n")[2]


def members(cls, said):
    """Items for the public methods, properties and fields of a class."""
    items, bare = [], []
    for field, comment in comments(cls).items():
        if comment:
            items.append(f"- `{field}`: {inline(comment)}")
        elif not re.search(rf"(^|, ){field}(, \w+)*: |``{field}``", said, re.M):
            bare.append(f"`{field}`")
    for name, member in vars(cls).items():
        doc = inspect.getdoc(member) if name == "__call__" or name[0] != "_" else None
        if isinstance(member, (property, cached_property)) and doc:
            items.append(item(f"`.{name}`", doc))
        elif inspect.isfunction(member) and doc:
            dotted = cls.__name__.lower() if name == "__call__" else f".{name}"
            items.append(item(f"`{dotted}{arguments(member, skip=('self',))}`", doc))
    return ["\n".join(items)] * bool(items) + [f"Its fields: {', '.join(bare)}."] * bool(bare)


def item(head, doc):
    return f"- {head}: " + rendered(doc).replace("\n", "\n  ").replace("\n  \n", "\n\n")


def comments(cls):
    """The annotated fields of a class, each with the comment on its line."""
    try:
        text = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    found = re.findall(r"^    (\w+): [^#\n]*(?:# (.*))?$", text.partition("def ")[0], re.M)
    doc = cls.__doc__ or ""
    return {name: said for name, said in found if f"{name}: {said}" not in doc}


def constant(name, value):
    """A value that is no function: what the comment at its definition says, and its entries."""
    said = rendered(comment_of(name), name)
    if isinstance(value, dict):
        keys = ", ".join(f"`{key}`" for key in value)
        return f"{said}\n\nIts keys: {keys}."
    return said if inspect.ismodule(value) else f"`{name} = {value!r}`\n\n{said}"


def comment_of(name):
    """The comment above the line that defines a public name, or behind it."""
    module = next(m for m, names in warpbook.PUBLIC.items() if name in names)
    lines = Path(import_module(module).__file__).read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if re.match(rf"(\w+, )*{name}(, \w+)* = ", line))
    above = at
    while above and lines[above - 1].startswith("# "):
        above -= 1
    behind = lines[at].partition("  # ")[2]
    return behind or "\n".join(line[2:] for line in lines[above:at])


def stand_in():
    """The names that the stand-in for CuPy takes from NumPy, and its own."""
    module = import_module("warpbook.launch.numpy_cupy")
    inside = {"ndarray", "cuda", "random", "lib"}
    own = [
        name
        for name, what in vars(module).items()
        if name[0] != "_"
        and (name in inside or getattr(what, "__module__", None) == module.__name__)
    ]
    own = [path for name in own for path in paths(name, getattr(module, name))]
    return (
        f"Of NumPy's: {', '.join(f'`{name}`' for name in sorted(module.OFFERED))}.\n\n"
        f"Of its own: {', '.join(f'`{name}`' for name in sorted(own))}.\n"
    )


def paths(name, what):
    """A name, or the dotted names inside it where it is a namespace."""
    if not isinstance(what, SimpleNamespace):
        return [name]
    return [path for part, inner in vars(what).items() for path in paths(f"{name}.{part}", inner)]


# From a docstring to Markdown.


def link(name):
    """A link to a public name on this page."""
    return f"[`{name}`](#{slug(name)})"


def slug(name):
    """The anchor of a name's heading."""
    return re.sub(r"[^\w-]", "", name.lower())


def sentence(name):
    """The first sentence of what a public name's docstring says."""
    what = getattr(warpbook, name)
    doc = inspect.getdoc(what) if callable(what) else comment_of(name)
    return re.split(r"(?<=\.)\s", doc.partition("\n\n")[0].replace("\n", " "))[0]


def rendered(doc, name=""):
    """A docstring as Markdown; the names in it are links, but for ``name`` itself."""
    blocks = re.split(r"\n\s*\n", doc or "")
    return "\n\n".join(block(text, name) for text in blocks if text.strip())


def block(text, name):
    """A paragraph with its items, or code."""
    lines = text.splitlines()
    if all(line.startswith("    ") for line in lines if line.strip()):
        return "```python\n" + inspect.cleandoc(text.replace("    ", "", 1)) + "\n```"
    parts, open_item = [], False
    for line in re.sub(r"(?<=\w:)\n *", " ", text).splitlines():  # an item's name is not parted
        pieces = re.split(rf"(?<=[.;] )(?={VERDICT})", line)
        if open_item or re.match(NAMED, line):
            pieces = [p for piece in pieces for p in re.split(rf"(?<=[.;] )(?={NAMED})", piece)]
        for piece in pieces:
            after_end = not parts or parts[-1].endswith((".", ";"))
            begins = after_end and re.match(NAMED, piece)
            leaves = open_item and piece[0].isupper() or re.match(VERDICT, piece)
            if begins or not parts or after_end and leaves:
                parts.append(piece.strip())
                open_item = bool(begins)
            else:
                parts[-1] += " " + piece.strip()
    said = "\n".join(paragraph(part, name) for part in parts)
    return re.sub(r"\n{3,}", "\n\n", said).strip("\n")


def paragraph(text, name):
    """An item where the text begins with names, else a paragraph."""
    begins = re.match(NAMED, text)
    if not begins:
        return f"\n{inline(text, name)}\n"
    heads = ", ".join(f"`{head}`" for head in begins[0][:-2].split(", "))
    rest = text[begins.end() :]
    return f"- {heads}: {inline(rest.removesuffix(';'), name)}"


def inline(text, name=""):
    """A line of prose: ``code`` and what looks like it becomes code, a public name a link."""
    parts = re.split(rf"``(.+?)``|{LIKE_CODE}", text)
    said = []
    for plain, quoted, seen in zip(parts[::3], parts[1::3] + [""], parts[2::3] + [""], strict=True):
        said.append(SPECIAL.sub(r"\\\1", plain))
        said.append(code(quoted or seen, name) if quoted or seen else "")
    return "".join(said)


def code(text, name):
    stem = re.match(r"(?:warpbook\.)?([\w.]*)", text)[1]
    if stem in warpbook.__all__ and stem != name:
        return f"[`{text}`](#{slug(stem)})"
    return f"`{text}`"

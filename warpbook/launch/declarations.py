"""The package's one reader of CUDA C++: comments, literals, branches of #if, and declarations.

It is no compiler: comments, literals and directives are blanked, and then brackets tell where a
declaration begins and ends. That is enough to list kernels with their parameters, and to leave a
declaration out.
"""

import math
import re
from bisect import bisect
from dataclasses import dataclass

_BETWEEN = re.compile(r"[\s;})]*(?:(?:public|private|protected)\s*:[\s;]*)*")
MARK = re.compile(r"__(?:global|device|constant|shared|managed)__")
# A string or a character, or a comment. 1'000 has no character in it.
_LITERAL = re.compile(
    r'R"(?P<end>[^()\\\s]{0,16})\(.*?(?:\)(?P=end)"|\Z)|"(?:\\.|[^"\\\n])*"'
    r"|(?<![\da-fA-F])'(?:\\.|[^'\\\n])*'|//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)",
    re.S,
)
_BRANCH = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*?)[ \t]*")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
_ATTRIBUTE = re.compile(
    r"\b(?:__launch_bounds__|__align__|alignas|__attribute__|__declspec|__cluster_dims__"
    r"|__maxnreg__)\s*\("
)
_MACRO_CALL = re.compile(r"[A-Z_][A-Z0-9_]*\s*\([^()]*(?:\([^()]*\)[^()]*)*$")


@dataclass(frozen=True)
class Declared:
    """One parameter as a kernel declares it. text: 'const float* x'; ctype: 'float'; stars: 1."""

    name: str
    text: str
    ctype: str
    stars: int


@dataclass(frozen=True)
class KernelText:
    """One __global__ function in a text. name: with its namespaces; template: the names of its
    template parameters; file: the name it is included by, or the file's own; first, last: lines.
    """

    name: str
    template: tuple[str, ...]
    parameters: tuple[Declared, ...]
    file: str
    first: int
    last: int

    def __str__(self):
        return f"{self.name}<{', '.join(self.template)}>" if self.template else self.name


@dataclass(frozen=True)
class FunctionText:
    """One function in a text, of whatever kind. first, last: its lines, from 1; the comment
    directly above it is the first of them.
    """

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Chunk:
    """One declaration, text[begin:end]. head: what stands before its body; kind: 'function',
    'class' or 'other'; space: the namespaces around it; inside: where a class's body lies.
    """

    begin: int
    end: int
    head: str
    kind: str
    space: str
    inside: tuple[int, int] = (0, 0)


class Structure:
    """The declarations of a text, found by its brackets alone."""

    def __init__(self, text):
        self.text = text
        self.lines = [0, *(m.end() for m in re.finditer("\n", text))]
        code = blanked(text)
        self.code = _DIRECTIVE.sub(_blank, live(code))
        if self.code.count("{") != self.code.count("}"):  # of #if and #else, keep the first
            self.code = _DIRECTIVE.sub(_blank, live(code, first=True))
        self.chunks = list(_chunks(self.code, 0, len(self.code), ""))

    def line(self, offset):
        return bisect(self.lines, offset)

    def at(self, line, gone=()):
        """The innermost declaration that a line is in; of several, the first that ends in it or
        goes on after it, and that is not one of those ``gone``.
        """
        begin = self.lines[line - 1]
        end = self.lines[line] if line < len(self.lines) else len(self.code)

        def first(chunks):
            here = (c for c in chunks if c.begin < end and c.end > begin and c not in gone)
            return next(here, None)

        chunk = first(self.chunks)
        while chunk is not None and chunk.kind == "class":
            inner = first(_chunks(self.code, *chunk.inside, chunk.space))
            if inner is None:
                break
            chunk = inner
        return chunk

    def functions(self):
        """The FunctionTexts of all functions that have a body, in order; overloads one by one."""
        found = []
        for chunk in self.chunks:
            named = _named(_without_attributes(_template(chunk.head)[1]))
            if chunk.kind == "function" and named:
                first, last = self.line(chunk.begin), self.line(chunk.end - 1)
                found.append(FunctionText(named[0], self._commented(first), last))
        return found

    def _commented(self, line):
        """The line at which the comment begins that ends directly above a line, else the line."""
        said, code = self.text.split("\n"), blanked(self.text).split("\n")
        while line > 1 and said[line - 2].strip() and not code[line - 2].strip():
            line -= 1
        return line

    def kernels(self, file):
        """The KernelTexts of all __global__ functions that have a body. file: its name."""
        heads = (c for c in self.chunks if c.kind == "function" and "__global__" in c.head)
        return [kernel for chunk in heads if (kernel := self.kernel(file, chunk))]

    def kernel(self, file, chunk):
        """The KernelText of a function; None where no name can be told, as of a macro's call."""
        template, head = _template(chunk.head)
        found = _named(_without_attributes(head).partition("__global__")[2])
        if not found:
            return None
        name, declared = found
        parameters = tuple(_declared(part) for part in split(declared) if part != "void")
        first, last = self.line(chunk.begin), self.line(chunk.end - 1)
        return KernelText(chunk.space + name, template, parameters, file, first, last)


def split(text: str) -> list[str]:
    """Split at the commas that stand in no brackets: 'a, b<c, d>' gives ['a', 'b<c, d>'].

    A shift such as 1 << 4 opens no bracket, and > closes only what < has opened.
    """
    parts, open_ = [""], []
    for at, letter in enumerate(text):
        shift = letter == "<" and "<" in (text[at - 1 : at], text[at + 1 : at + 2])
        if letter in "([{" or letter == "<" and not shift:
            open_.append(letter)
        elif letter == ">" and open_[-1:] == ["<"]:
            open_.pop()
        elif letter in ")]}":
            while open_ and open_.pop() == "<":  # it was a comparison
                pass
        if letter == "," and not open_:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def without_comments(text: str) -> str:
    """Return C++ text without its comments, the line count kept."""

    def gone(match):
        found = match.group()
        if found[0] != "/":
            return found
        return "\n" * found.count("\n") or (" " if found[1] == "*" else "")

    return _LITERAL.sub(gone, text)


def without_strings(text: str) -> str:
    """Return C++ text without comments with all its strings and characters empty."""
    return _LITERAL.sub('""', text)


def blanked(text: str) -> str:
    """Return a text with spaces for its comments and literals, so that all else keeps its place."""
    return _LITERAL.sub(_blank, text)


def _blank(match):
    """Spaces in place of what matched; quotes stay, for 'extern "C"'."""
    kept = '\n"' if match[0][0] == '"' else "\n"
    return re.sub(f"[^{kept}]", " ", match[0])


def live(code: str, first: bool = False) -> str:
    """Blank out what ``#if 0``, or ``#else`` after ``#if 1``, leaves out.

    code: a text without comments. Other conditions are not worked out: all of their branches stay,
    or the first one alone.
    """
    kept, branches = [], []  # of each open #if: is this branch in? None: not known; 'over': it was
    for line in code.split("\n"):
        branch = _BRANCH.fullmatch(line)
        word, condition = branch.groups() if branch else ("", "")
        if word in ("if", "ifdef", "ifndef"):
            branches.append(_truth(condition if word == "if" else "", first))
        elif word == "endif":
            del branches[-1:]
        elif word and branches and branches[-1] is not None:
            taken = True if word == "else" else _truth(condition, first)
            branches[-1] = taken if branches[-1] is False else "over"
        inside = all(state in (True, None) for state in branches)
        kept.append(line if inside else " " * len(line))
    return "\n".join(kept)


def _truth(condition, first):
    """Is a condition true? None where it is not known, unless the first branch is to stay."""
    known = {"0": False, "false": False, "1": True, "true": True}
    return known.get(condition, True if first else None)


def _chunks(code, at, end, space):
    """Yield the declarations in code[at:end]; those in namespaces and extern "C" one by one."""
    begin = None
    depth = 0
    while at < end:
        if begin is None:
            at = begin = _BETWEEN.match(code, at, end).end()
            depth = 0
            if at >= end:
                return
        letter = code[at]
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
            follows = code[at + 1 : end].lstrip()[:1] if depth == 0 else "{"
            if follows not in ("{", ";", ":") and _MACRO_CALL.match(code, begin, at):
                yield Chunk(begin, at + 1, code[begin : at + 1], "other", space)
                begin = None
        elif letter == ";" and depth <= 0:
            yield Chunk(begin, at + 1, code[begin:at], "other", space)
            begin = None
        elif letter == "{":
            close = min(closing(code, at), end)
            if depth > 0:
                at = close + 1
                continue
            head = code[begin:at]
            kind = _kind(head)
            if kind == "space":
                named = re.search(r"\bnamespace\s+([\w:]+)\s*$", head)
                yield from _chunks(code, at + 1, close, f"{space}{named[1]}::" if named else space)
                begin = None
            elif kind == "class":
                semicolon = code.find(";", close, end)
                last = semicolon + 1 if semicolon >= 0 else close + 1
                yield Chunk(begin, last, head, "class", space, (at + 1, close))
                at, begin = last, None
                continue
            elif kind == "function" and code[close + 1 : end].lstrip()[:1] not in (",", "{"):
                yield Chunk(begin, close + 1, head, "function", space)
                begin = None
            at = close
        at += 1
    if begin is not None and code[begin:end].strip():
        yield Chunk(begin, end, code[begin:end], "other", space)


def _kind(head):
    """What the bracket { after a head opens."""
    if re.search(r"\bnamespace\b[\s\w:]*$", head) or re.fullmatch(r'\s*extern\s*"\s*"\s*', head):
        return "space"
    plain = _without_attributes(_template(head)[1])
    if re.search(r"\benum\b", plain) and "(" not in plain:
        return "other"
    if re.search(r"\b(?:class|struct|union)\b", plain) and "(" not in plain and "=" not in plain:
        return "class"
    outside = re.sub(r"\boperator\s*[^\s(]+", "", plain)
    while "(" in outside and (less := re.sub(r"\([^()]*\)", "", outside)) != outside:
        outside = less
    if "=" in outside:
        return "other"
    return "function" if ")" in plain else "other"


def _template(head):
    """(names of the template parameters, the head without 'template <...>')."""
    found = re.match(r"\s*(?:extern\s*\"\s*\"\s*)?template\s*<", head)
    if not found:
        return (), head
    close = closing(head, found.end() - 1, "<>")
    names = []
    for part in split(head[found.end() : close]):
        words = re.findall(r"\w+", re.split(r"=", part)[0])
        if words:
            names.append(words[-1])
    return tuple(names), head[close + 1 :]


def _named(head):
    """(the name of a function, the text of its parameters): the last name( outside of brackets."""
    found, at = None, 0
    while call := re.compile(r"([\w:]+)?\s*\(").search(head, at):
        at = closing(head, call.end() - 1) + 1
        if call[1] and call[1] not in ("noexcept", "requires"):
            found = call[1], head[call.end() : at - 1]
    return found


def _without_attributes(head):
    """A head without __launch_bounds__(...) and its like."""
    while found := _ATTRIBUTE.search(head):
        close = closing(head, found.end() - 1)
        head = head[: found.start()] + " " + head[close + 1 :]
    return head


def closing(text: str, at: int, pair: str | None = None) -> int:
    """Return where the bracket at ``at`` is closed; the end of the text if it never is.

    pair: the two brackets, such as '<>', where they are none of (), {} and [].
    """
    pair, depth = pair or {"(": "()", "{": "{}", "[": "[]"}[text[at]], 0
    for found in re.compile(f"[{re.escape(pair)}]").finditer(text, at):
        depth += 1 if found[0] == pair[0] else -1
        if depth == 0:
            return found.start()
    return len(text)


_TYPE_WORDS = frozenset(
    {
        "int",
        "float",
        "double",
        "char",
        "short",
        "long",
        "unsigned",
        "signed",
        "bool",
        "void",
        "half",
    }
)


def _declared(part):
    """The Declared of 'const float *__restrict__ x = nullptr'."""
    part = " ".join(re.split(r"(?<![<>=!])=(?!=)", part)[0].split())
    bare = re.sub(
        r"\b(?:const|volatile|struct|typename|register|__grid_constant__|\w*(?i:restrict)\w*)\b",
        " ",
        part,
    )
    through = re.search(r"\(\s*([*&]+)\s*(\w+)\s*\)", bare)  # float (*a)[4]
    if through:
        name, stars = through[2], through[1].count("*")
        return Declared(name, part, " ".join(bare[: through.start()].split()), stars)
    arrays = len(re.findall(r"\[[^\]]*\]", bare))
    bare = re.sub(r"\[[^\]]*\]", " ", bare)
    stars = bare.count("*") + (1 if arrays else 0)
    bare = re.sub(r"[*&]", " ", bare)
    found = re.search(r"(\w+)\s*$", bare)
    before = bare[: found.start()].strip() if found else ""
    if not found or not before or found[1] in _TYPE_WORDS:
        return Declared("", part, " ".join(bare.split()), stars)
    return Declared(found[1], part, " ".join(before.split()), stars)


def members(name: str, text: str) -> list[tuple[Declared, int]] | None:
    """Return (a member as it is declared, how many of it) of each of a struct; None where there is
    no such struct, or one whose members this cannot tell, such as a class with functions.
    """
    code, name = blanked(text), re.escape(name.rpartition("::")[2])
    tail = r"(?:(?:alignas|__align__|__attribute__)\s*\([\s\S]*?\)+\s*)?"
    body = None
    if found := re.search(rf"\bstruct\s+{tail}{name}\s*\{{", code):
        body = code[found.end() : closing(code, found.end() - 1)]
    for found in re.finditer(rf"\btypedef\s+struct\s+{tail}\w*\s*\{{", code):
        end = closing(code, found.end() - 1)
        if body is None and re.match(rf"\}}\s*{name}\s*;", code[end:]):
            body = code[found.end() : end]
    if body is None or re.search(r"[(){:]", body.replace("::", "")):
        return None
    listed = []
    for line in filter(None, map(str.strip, body.split(";"))):
        first, *others = split(line)
        ctype = re.sub(r"[\s*&]*\w+\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$", "", first)
        for part in [first, *(f"{ctype} {other}" for other in others)]:
            sizes = re.findall(r"\[\s*(\w*)\s*\]", part)
            if not all(size.isdigit() for size in sizes):
                return None
            declared = _declared(re.sub(r"\[[^\]]*\]", "", part))
            listed.append((declared, math.prod(map(int, sizes))))
    return listed


def meaning(ctype: str, text: str, values: dict[str, str]) -> str:
    """What a type's name stands for: through template parameters, using, typedef and #define.

    text: of all the files; values: {template parameter: what it is}.
    """
    for _ in range(8):
        ctype = ctype.removeprefix("std::").removeprefix("::")
        name = re.escape(ctype)
        found = None
        if re.fullmatch(r"\w+", ctype):
            found = (
                re.search(rf"\busing\s+{name}\s*=\s*([\w:\s]+?)\s*;", text)
                or re.search(rf"\btypedef\s+([\w:\s]+?)\s+{name}\s*;", text)
                or re.search(rf"^[ \t]*#\s*define[ \t]+{name}[ \t]+([\w:]+(?: \w+)*)", text, re.M)
            )
        new = values.get(ctype) or (found and " ".join(found[1].split()))
        if not new or new == ctype:
            return ctype
        ctype = re.sub(r"\b(?:const|volatile|typename|struct)\b", "", new).strip()
    return ctype

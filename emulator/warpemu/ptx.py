"""PTX text -> a Module: functions, variables, and instructions that know their .cu line.

Calls are inlined here (PTX from CUDA C++ has no recursion worth running), so that all later
stages see one function. Registers and labels of an inlined function get a prefix of their own.
"""

import math
import re
import struct
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath

from .errors import EmulatorError

BYTES = {
    "pred": 1,
    **{k + str(n): n // 8 for k in "bsuf" for n in (8, 16, 32, 64, 128)},
    "f16x2": 4,
    "bf16": 2,
    "bf16x2": 4,
    "u16x2": 4,
    "s16x2": 4,
    "tf32": 4,
    "e4m3x2": 2,
    "e5m2x2": 2,
}
HIDDEN = {"vprintf", "__assertfail"}  # functions the emulator supplies; see ops/call.py


# Operands ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Reg:
    name: str


@dataclass(frozen=True)
class Not:
    reg: Reg  # !%p1


@dataclass(frozen=True)
class Imm:
    bits: int  # an integer, or the bits of a float
    width: int = 0  # 0: an integer of any width; 4, 8: bits of f32, f64


@dataclass(frozen=True)
class Name:
    name: str  # a variable, a label, a special register ('%tid.x'), a parameter
    offset: int = 0


@dataclass(frozen=True)
class Address:
    base: object  # Reg, Name or Imm
    offset: int


@dataclass(frozen=True)
class Vector:
    items: tuple


@dataclass(frozen=True)
class Pair:
    first: object  # %r1|%p1
    second: object


SINK = Name("_")


@cache
def split_opcode(opcode):
    """['ld', 'global', 'nc', 'f32'] of 'ld.global.nc.f32'; every caller's list is the same."""
    return opcode.replace("::", "_").split(".")


@cache
def type_of(opcode):
    """The last type among an opcode's modifiers, or None: 'f32' of 'add.rn.f32'."""
    return next((part for part in reversed(split_opcode(opcode)) if part in BYTES), None)


@dataclass(eq=False)
class Instruction:
    opcode: str  # 'ld.global.nc.f32'
    operands: list
    guard: object = None  # Reg, Not or None
    line: int = 0  # of the .cu, 0 where unknown
    index: int = -1  # its number in the program
    text: str = ""
    scope: int = 0  # number of the {} that it stands in, for its labels
    access: object = None  # Access, if it touches memory; its op's handler puts it here
    of_memcpy: bool = False  # is it a part of libcu++'s memcpy_async?

    def __post_init__(self):
        self.become(self.opcode, self.operands)

    def become(self, opcode, operands):
        """Change both, and what follows from the opcode, which is asked for a hundred times: name,
        'ld' of 'ld.global.nc.f32'; parts, ['ld', 'global', 'nc', 'f32']; type, 'f32'.
        """
        self.opcode, self.operands = opcode, operands
        self.parts, self.type = split_opcode(opcode), type_of(opcode)
        self.name = self.parts[0]


@dataclass
class Variable:
    name: str
    space: str
    bytes: int
    align: int
    data: bytes = b""
    links: list = field(default_factory=list)  # (offset, name): addresses of other variables


@dataclass
class Parameter:
    name: str
    type: str
    bytes: int
    align: int
    offset: int = 0


@dataclass
class Function:
    name: str
    parameters: list
    returns: list
    body: list = field(default_factory=list)  # Instruction | str (a label)
    registers: dict = field(default_factory=dict)  # name -> type
    variables: list = field(default_factory=list)  # of .local and .shared
    tables: dict = field(default_factory=dict)  # .branchtargets: label -> [labels]
    max_threads: int = 1024  # .maxntid, of __launch_bounds__
    cluster: tuple | None = None  # .reqnctapercluster, of __cluster_dims__
    calls: int = 0  # inlined so far


@dataclass
class Module:
    functions: dict
    variables: dict
    files: dict


# Reading -------------------------------------------------------------------------------------
STATEMENT = re.compile(
    r"\s*(?:(\.loc\s[^\n]*)|([\w$%.]+)\s*:(?!:)|([{}])|([^;{}]*(?:\{[^;{}]*\}[^;{}]*)*);)"
)
DECLARATION = re.compile(
    r"\.(?P<space>global|const|shared|local|param)\s*"
    r"(?:\.align\s+(?P<align>\d+)\s*)?(?:\.attribute\S*\s*)*"
    r"\.(?P<type>[a-z]\w*)\s+(?:\.ptr\s+(?:\.[a-z]\w*\s+)?(?:\.align\s+\d+\s+)?)?"
    r"(?P<name>[\w$%.]+)\s*(?P<dims>(?:\[\s*\d*\s*\])*)\s*(?:=\s*(?P<init>.*))?$",
    re.S,
)


def parse(text, source_name=""):
    """Module of a PTX text. source_name: of the .cu, whose lines count; else those of file 1."""
    text = re.sub(r"//[^\n]*", "", text)
    files = {int(n): path for n, path in re.findall(r'\.file\s+(\d+)\s+"([^"]*)"', text)}
    named = (n for n, path in files.items() if source_name and PurePath(path).name == source_name)
    own = next(named, 1)  # a header that the .cu includes may come first
    cut = text.find(".section")
    text = text if cut < 0 else text[:cut]
    text = re.sub(r'\.file\s+\d+\s+"[^"]*"[^\n]*', "", text)
    functions, variables = {}, {}
    position = 0
    head = re.compile(r"\.(entry|func)\b")
    while True:
        match = head.search(text, position)
        stretch = text[position : match.start() if match else len(text)]
        for statement in stretch.split(";"):
            read_global(statement, variables)
        if not match:
            return Module(functions, variables, files)
        brace, semi = text.find("{", match.end()), text.find(";", match.end())
        opened = brace >= 0 and (semi < 0 or brace < semi)
        signature = text[match.start() : brace if opened else semi]
        function = read_signature(signature)
        position = semi + 1
        most = re.search(r"\.maxntid\s+([\d,\s]+)", signature)
        if most:
            function.max_threads = math.prod(int(n) for n in most.group(1).split(","))
        cluster = re.search(r"\.reqnctapercluster\s+([\d,\s]+)", signature)
        if cluster:
            shape = tuple(int(n) for n in cluster.group(1).split(","))
            function.cluster = (*shape, 1, 1)[:3]
        if opened:
            position = closing(text, brace) + 1
            Body(function, files, own).read(text[brace + 1 : position - 1])
            functions[function.name] = function


def closing(text, start):
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    raise EmulatorError("this PTX text ends inside a function")


def plain(name):
    """The variable's name out of a mangled one: _ZZ1kE4tile -> tile."""
    match = re.search(r"E(\d+)(\w+?)(_\d+)?$", name) if name.startswith("_Z") else None
    return match.group(2)[: int(match.group(1))] if match else name


def read_global(statement, variables):
    statement = re.sub(r"^\s*(\.(version|target|address_size)[^\n]*\s*)+", "", statement).strip()
    statement = re.sub(r"\.(visible|extern|weak|common)\s+", "", statement)
    match = DECLARATION.search(statement)
    if match:
        variable = read_variable(match)
        variables[variable.name] = variable


def read_variable(match):
    size = BYTES[match["type"]]
    dims = re.findall(r"\[\s*(\d*)\s*\]", match["dims"])
    count = 1
    for n in dims:
        count *= int(n or 0)
    variable = Variable(match["name"], match["space"], size * count, int(match["align"] or size))
    if match["init"]:
        read_initial(variable, match["init"], match["type"], size)
    return variable


def read_initial(variable, text, type, size):
    data = bytearray()
    for item in re.findall(r"[^\s,{}]+", text):
        if re.match(r"(0[xXfFdD][0-9a-fA-F]+|-?\d+)U?$", item):
            data += (immediate(item).bits & (256**size - 1)).to_bytes(size, "little")
        else:
            name = re.sub(r"generic\((.*)\)", r"\1", item)
            variable.links.append((len(data), name))
            data += bytes(size)
    variable.data = bytes(data)


def read_signature(text):
    groups = re.findall(r"\(([^()]*)\)", text)
    name = re.search(
        r"([\w$]+)\s*(?:\(|$)", re.sub(r"^\.(entry|func)\s*(\([^()]*\))?", "", text).strip()
    )
    returns = []
    if re.match(r"\.func\s*\(", text):
        returns, groups = read_parameters(groups[0]), groups[1:]
    return Function(name.group(1), read_parameters(groups[0]) if groups else [], returns)


def read_parameters(text):
    result, offset = [], 0
    for item in text.split(","):
        match = DECLARATION.search(item.strip())
        if not match:
            continue
        v = read_variable(match)
        offset = -(-offset // v.align) * v.align
        result.append(Parameter(v.name, match["type"], v.bytes, v.align, offset))
        offset += v.bytes
    return result


class Body:
    """Reads the statements of one function: scopes, labels, lines, instructions."""

    def __init__(self, function, files, own):
        self.function, self.files, self.own = function, files, own
        self.scopes, self.scope_number, self.line = [{}], 0, 0
        self.operands = {}  # by their texts, outside of nested scopes
        self.roots = {}  # (file, line, column) -> line in the .cu
        self.in_memcpy = {}  # the same -> is it a part of libcu++'s memcpy_async?
        self.of_memcpy = False
        self.ranges = []  # (prefix, count, type) of .reg .f32 %f<9>

    def read(self, text):
        labels = {}
        position = 0
        while True:
            match = STATEMENT.match(text, position)
            if not match:
                if text[position:].strip():
                    raise EmulatorError(f"cannot read this PTX: {text[position:].strip()[:80]!r}")
                break
            position = match.end()
            loc, label, brace, statement = match.groups()
            if loc:
                self.read_loc(loc)
            elif label:
                table = re.compile(r"\s*\.branchtargets\s+([^;]*);").match(text, position)
                if table:
                    position = table.end()
                    self.function.tables[label] = re.split(r"\s*,\s*", table.group(1).strip())
                else:
                    self.function.body.append(self.local_label(label, labels))
            elif brace == "{":
                self.scope_number += 1
                self.scopes.append({})
            elif brace == "}":
                self.scopes.pop()
            elif statement.strip():
                self.read_statement(" ".join(statement.split()))
        self.resolve(labels)

    def local_label(self, label, labels):
        """Labels in a nested scope (inline assembly) may repeat: number them."""
        if len(self.scopes) == 1:
            return label
        unique = f"{label}@{self.scope_number}"
        labels[label, self.scope_number] = unique
        return unique

    def resolve(self, labels):
        for item in self.function.body:
            if not isinstance(item, str) and item.name == "bra":
                key = (item.operands[0].name, item.scope)
                if key in labels:
                    item.operands[0] = Name(labels[key])

    def read_loc(self, text):
        where = re.match(
            r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?", text
        )
        file, line, column, *caller = [int(g) if g else None for g in where.groups()]
        if caller[0] is not None:
            root = self.roots.get(tuple(caller), caller[1] if caller[0] == self.own else 0)
        else:
            root = line if file == self.own else 0
        self.roots[file, line, column] = root
        self.of_memcpy = "/cuda/__memcpy_async/" in self.files.get(file, "")
        self.of_memcpy |= self.in_memcpy.get(tuple(caller), False)
        self.in_memcpy[file, line, column] = self.of_memcpy
        if root:  # line 0 means moved code: keep the line before
            self.line = root

    def read_statement(self, text):
        if text.startswith(".reg"):
            return self.read_registers(text)
        if text.startswith((".local", ".shared", ".param", ".global", ".const")):
            return self.read_declaration(text)
        if text.startswith("."):  # .pragma and its like change no result
            return None
        guard = None
        match = re.match(r"@(!?)\s*([\w$%.]+)\s+(.*)", text) if text[0] == "@" else None
        if match:
            guard = self.register(match.group(2))
            guard = Not(guard) if match.group(1) else guard
            text = match.group(3)
        opcode, _, rest = text.partition(" ")
        operands = [self.known(t) for t in split_operands(rest)]
        instruction = Instruction(opcode, operands, guard, self.line, text=text)
        instruction.scope, instruction.of_memcpy = self.scope_number, self.of_memcpy
        self.function.body.append(instruction)
        return None

    def read_registers(self, text):
        type, names = re.match(r"\.reg\s*(?:\.v\d\s*)?\.(\w+)\s+(.*)", text).groups()
        for name in re.split(r"\s*,\s*", names):
            match = re.match(r"([\w$%.]+)<(\d+)>", name)
            if match:
                for n in range(int(match.group(2))):
                    self.declare(f"{match.group(1)}{n}", type)
            else:
                self.declare(name, type)

    def declare(self, name, type):
        self.operands.clear()
        unique = name if len(self.scopes) == 1 else f"{name}@{self.scope_number}"
        self.scopes[-1][name] = unique
        self.function.registers[unique] = type

    def read_declaration(self, text):
        match = DECLARATION.search(text)
        if not match:
            raise EmulatorError(f"line {self.line}: cannot read this declaration: {text}")
        variable = read_variable(match)
        unique = variable.name if len(self.scopes) == 1 else f"{variable.name}@{self.scope_number}"
        self.scopes[-1][variable.name] = unique
        self.operands.clear()
        variable.name = unique
        self.function.variables.append(variable)

    def lookup(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def register(self, text):
        return Reg(self.lookup(text) or text)

    def known(self, text):
        """The operand of a text: the same one each time, outside of nested scopes."""
        if len(self.scopes) > 1:
            return self.operand(text)
        if text not in self.operands:
            self.operands[text] = self.operand(text)
        return self.operands[text]

    def operand(self, text):
        text = text.strip()
        unique = self.lookup(text)
        if unique in self.function.registers:  # as most are
            return Reg(unique)
        if text.startswith("!"):
            return Not(self.register(text[1:].strip()))
        if text.startswith("["):
            return self.address(text[1:-1].strip())
        if text.startswith(("{", "(")):
            return Vector(tuple(self.operand(t) for t in split_operands(text[1:-1])))
        if "|" in text:
            first, second = text.split("|")
            return Pair(self.operand(first), self.operand(second))
        if re.match(r"-?\d|0[xXfFdD]", text):
            return immediate(text)
        match = re.match(r"([\w$%.]+)\s*\+\s*(-?\d+)$", text)
        if match:
            return Name(self.lookup(match.group(1)) or match.group(1), int(match.group(2)))
        return Name(unique or text)

    def address(self, text):
        match = re.match(r"([\w$%.]+?)\s*(?:\+\s*(-?\s*\w+))?$", text)
        if not match:
            parts = split_operands(text)  # tensor coordinates and such
            return Vector(tuple(self.operand(p) for p in parts))
        base = self.operand(match.group(1))
        offset = int((match.group(2) or "0").replace(" ", ""), 0)
        if isinstance(base, Name):
            base, offset = Name(base.name), base.offset + offset
        return Address(base, offset)


def split_operands(text):
    """Split at commas outside of brackets."""
    if "{" not in text and "(" not in text:
        parts = text.split(",")
        if "[" not in text or all(part.count("[") == part.count("]") for part in parts):
            return [part for part in map(str.strip, parts) if part]
    parts, depth, start = [], 0, 0
    for k, c in enumerate(text):
        if c in "{[(":
            depth += 1
        elif c in "}])":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


def immediate(text):
    if text[:2] in ("0f", "0F"):
        return Imm(int(text[2:], 16), 4)
    if text[:2] in ("0d", "0D"):
        return Imm(int(text[2:], 16), 8)
    text = text.rstrip("U")
    if re.match(r"-?\d+\.\d*([eE][-+]?\d+)?$", text):
        return Imm(struct.unpack("<Q", struct.pack("<d", float(text)))[0], 8)
    if re.match(r"-?0[0-7]+$", text):
        return Imm(int(text, 8))
    return Imm(int(text, 0))


# Inlining ------------------------------------------------------------------------------------
def inline(module, entry):
    """The entry as one Function without calls, but for HIDDEN ones."""
    if entry not in module.functions:
        raise EmulatorError(
            f"the PTX has no function {entry!r}; it has: {', '.join(module.functions)}"
        )
    root = module.functions[entry]
    result = Function(
        root.name,
        root.parameters,
        root.returns,
        registers={"%cc": "pred", **root.registers},
        variables=list(root.variables),
        tables=dict(root.tables),
        max_threads=root.max_threads,
        cluster=root.cluster,
    )
    result.body = expand(module, root, result, "", [entry])
    result.body = pass_arguments(result)
    for number, item in enumerate(
        instruction for instruction in result.body if not isinstance(instruction, str)
    ):
        item.index = number
    return result


def expand(module, function, result, prefix, stack):
    body = []
    for item in function.body:
        if isinstance(item, str):
            body.append(prefix + item)
            continue
        item = rename(item, prefix, function)
        if item.name != "call" or called(item) in HIDDEN:
            body.append(item)
            continue
        name = called(item)
        if name.startswith("prototype_"):
            raise EmulatorError(
                f"line {item.line}: a call through a function pointer or of a virtual function, "
                "which the emulator does not cover: call the function by its name"
            )
        if name not in module.functions:
            raise EmulatorError(f"line {item.line}: {no_body(name)}")
        if name in stack:
            raise EmulatorError(
                f"line {item.line}: {name} calls itself; the emulator inlines calls, "
                "so it cannot run recursion: rewrite it as a loop"
            )
        result.calls += 1
        body += expand_call(module, module.functions[name], item, result, result.calls, stack)
    return body


def no_body(name):
    """Why a call of a function that the PTX does not hold cannot run, and what to do."""
    if name in ("malloc", "free"):
        return (
            f"{name} (or new, delete) in a kernel, which the emulator does not cover: allocate the "
            "array before the launch and pass it"
        )
    if name.startswith("cuda"):
        return (
            f"{name}, a launch or an inquiry from within a kernel, which the emulator does not "
            "cover: do it on the host"
        )
    return f"a call of {name}, which has no body in this PTX: compile it in the same text"


def called(item):
    """Name of the function that a call names."""
    names = [o.name for o in item.operands if isinstance(o, Name)]
    return names[0].rsplit("!", 1)[-1] if names else "a function pointer"


def expand_call(module, callee, call, result, number, stack):
    inner = f"{callee.name}#{number}!"
    end = inner + "return"
    vectors = [o.items for o in call.operands if isinstance(o, Vector)]
    returns = vectors.pop(0) if callee.returns else ()
    arguments = vectors.pop(0) if vectors else ()
    result.registers.update({inner + n: t for n, t in callee.registers.items()})
    result.variables += [v for v in callee.variables if v not in result.variables]
    result.tables.update({inner + k: [inner + n for n in v] for k, v in callee.tables.items()})
    alias = {
        inner + p.name: a.name
        for p, a in zip(callee.parameters + callee.returns, (*arguments, *returns), strict=True)
    }
    alias |= {inner + v.name: v.name for v in callee.variables if v.space in ("local", "shared")}
    body = expand(module, callee, result, inner, stack + [callee.name])
    out = []
    for item in body:
        if isinstance(item, str):
            out.append(item)
            continue
        item.operands = [replace(o, alias) for o in item.operands]
        if item.name == "ret" and not item.operands:
            item.become("bra", [Name(end)])
        item.line = item.line or call.line
        out.append(item)
    return out + [end]


def pass_arguments(function):
    """Turn st.param and ld.param of calls into moves through registers."""
    own = {p.name for p in function.parameters}
    body = []
    for item in function.body:
        if isinstance(item, str):
            body.append(item)
        elif item.name in ("ld", "st") and "param" in item.opcode and outside(item, own):
            body += argument_moves(item, function)
        else:
            if item.name == "call":
                item.operands = [through_registers(o) for o in item.operands]
                for o in item.operands[:1]:  # a result that nobody reads
                    for register in o.items if isinstance(o, Vector) else ():
                        function.registers.setdefault(register.name, "b32")
            body.append(item)
    return body


def outside(item, own):
    address = next(o for o in item.operands if isinstance(o, Address))
    return isinstance(address.base, Name) and address.base.name not in own


def argument_moves(item, function):
    """One mov per element of a call's argument or result."""
    storing = item.name == "st"
    address, value = item.operands if storing else reversed(item.operands)
    items = value.items if isinstance(value, Vector) else (value,)
    moves = []
    for k, element in enumerate(items):
        slot = Reg(f"{address.base.name}+{address.offset + k * BYTES[item.type]}")
        width = function.registers.setdefault(slot.name, item.type)
        if BYTES[width] != BYTES[item.type]:
            raise EmulatorError(
                f"line {item.line}: a call's argument is passed as {width} and read as "
                f"{item.type}, which the emulator does not cover"
            )
        pair = [slot, element] if storing else [element, slot]
        moves.append(Instruction(f"mov.{item.type}", pair, item.guard, item.line, text=item.text))
    return moves


def through_registers(operand):
    if isinstance(operand, Vector):
        return Vector(tuple(Reg(f"{o.name}+0") for o in operand.items))
    return operand


def rename(item, prefix, function):
    copy = Instruction(item.opcode, list(item.operands), item.guard, item.line, text=item.text)
    copy.of_memcpy = item.of_memcpy
    if prefix:
        own = set(function.registers) | {p.name for p in function.parameters + function.returns}
        own |= {v.name for v in function.variables} | set(function.tables)
        own |= {label for label in function.body if isinstance(label, str)}
        table = {n: prefix + n for n in own}
        copy.operands = [replace(o, table) for o in item.operands]
        copy.guard = replace(item.guard, table) if item.guard else None
    return copy


def replace(operand, table):
    """The operand with its names looked up in table."""
    match operand:
        case Reg(name):
            return Reg(table.get(name, name))
        case Not(reg):
            return Not(replace(reg, table))
        case Name(name, offset):
            return Name(table.get(name, name), offset)
        case Address(base, offset):
            return Address(replace(base, table), offset)
        case Vector(items):
            return Vector(tuple(replace(o, table) for o in items))
        case Pair(first, second):
            return Pair(replace(first, table), replace(second, table))
    return operand

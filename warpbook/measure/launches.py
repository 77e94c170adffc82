"""What stands in a CUDA file to be traced: its kernels, its launches, and a command to try."""

import ast
import math
import operator
import re
from dataclasses import dataclass

from warpbook.launch import argument_texts
from warpbook.launch.declarations import KernelText, blanked, closing, meaning, members, split
from warpbook.launch.device_code import File
from warpbook.launch.wording import counted

THREADS = 65_536  # of a launch to try
BLOCK, GRID = (256,), (4,)  # where a launch does not say
_DEPTH = 8  # names that stand for names
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


@dataclass(frozen=True)
class LaunchText:
    """One launch in a text. expression: 'scale<float, 4>'; parts: the texts between <<< and >>>;
    numbers: what its arguments come to; text: all of it; grid, block: what
    they come to, None where only a run can tell.
    """

    expression: str
    parts: tuple[str, ...]
    numbers: tuple[int | None, ...]
    text: str
    line: int
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None

    @property
    def name(self):
        return self.expression.partition("<")[0].strip()


def launches(text: str) -> list[LaunchText]:
    """Return the launches with <<<>>> in a text, in their order."""
    code, found = blanked(text), []
    for mark in re.finditer("<<<", code):
        end = code.find(">>>", mark.end())
        begin = _expression(code, mark.start())
        if end < 0 or begin is None:
            continue
        parts = tuple(split(code[mark.end() : end]))
        call = re.compile(r">>>\s*\(").match(code, end)
        last = closing(code, call.end() - 1) + 1 if call else end + 3
        before = code[:begin]
        grid, block = (_extent(part, before) for part in (*parts, "", "")[:2])
        arguments = split(code[call.end() : last - 1]) if call else []
        numbers = tuple(_value(part, before) for part in arguments)
        expression = " ".join(code[begin : mark.start()].split())
        whole, line = " ".join(text[begin:last].split()), before.count("\n") + 1
        found.append(LaunchText(expression, parts, numbers, whole, line, grid, block))
    return found


def listing(file: File) -> str:
    """Return the kernels of a file with their parameters and launches, and a command to try.

    Raises LookupError where there is no kernel.
    """
    kernels = list(dict.fromkeys([*file.kernels, *file.kernels_of_headers]))
    if not kernels:
        raise LookupError(f"{file.path.name} has no kernel, and neither has a header beside it.")
    own = [(name, launch) for name in file.texts for launch in launches(file.texts[name])]
    said = [f"{file.path.name}: {counted(len(kernels), 'kernel')}"]
    chosen = None
    for kernel in kernels:
        declared = ", ".join(p.text for p in kernel.parameters)
        lines = f"line {kernel.first}" if kernel.first == kernel.last else ""
        lines = lines or f"lines {kernel.first} to {kernel.last}"
        said += ["", f"  {kernel}({declared})", f"    {kernel.file}, {lines}"]
        at = [(name, launch) for name, launch in own if _same(launch.name, kernel.name)]
        said += [f"    launched in {name}, line {one.line}: {one.text}" for name, one in at]
        if chosen is None or at and not chosen[1]:
            chosen = kernel, [launch for _, launch in at]
    kernel, of_it = chosen
    said += ["", "To try, with sizes and values that you may have to change:"]
    return "\n".join([*said, f"  {_command(file, kernel, of_it)}", "", argument_texts.FORMS])


def _command(file: File, kernel: KernelText, of_it: list[LaunchText]) -> str:
    """A command that traces a kernel as its first launch does, as far as that can be told."""
    launch = next((one for one in of_it if one.grid and one.block), next(iter(of_it), None))
    grid, block = (launch.grid, launch.block) if launch else (None, None)
    block = block if block and math.prod(block) <= 1024 else BLOCK
    if not grid or math.prod(grid) * math.prod(block) > THREADS:
        grid = GRID
    given = split(launch.expression.partition("<")[2].rpartition(">")[0]) if launch else []
    values = dict(zip(kernel.template, given, strict=False))
    name = kernel.name
    if kernel.template:
        written = given or ["..." for _ in kernel.template]
        name = f"'{kernel.name}<{', '.join(written)}>'"
    words = [f"python -m warpbook trace {file.path.name}"]
    if kernel.template or len(file.kernels) > 1 or kernel.file != file.path.name:
        words.append(f"--kernel {name}")
    words += [f"--grid {','.join(map(str, grid))} --block {','.join(map(str, block))}"]
    if launch and len(launch.parts) > 2:
        shared = _value(launch.parts[2], file.texts[file.path.name])
        words += [f"--shared {shared or 'BYTES'}"] * (shared != 0)
    count, texts = math.prod(grid) * math.prod(block), "\n".join(file.texts.values())
    numbers = launch.numbers if launch and len(launch.numbers) == len(kernel.parameters) else ()
    for k, parameter in enumerate(kernel.parameters):
        number = numbers[k] if numbers else None
        words.append(_argument(parameter, k, count, texts, values, number))
    return " ".join(words)


def _argument(parameter, position, count, texts, values, given):
    """'x=rand:f4:1024'"""
    ctype = meaning(parameter.ctype, texts, values)
    stars, name = parameter.stars, parameter.name or f"parameter{position}"
    if not stars and ctype.endswith("*"):
        ctype, stars = ctype.rstrip("* "), ctype.count("*")
    dtype, width = argument_texts.type_of(ctype)
    if stars:
        kind = "rand" if "const" in parameter.text else "zeros"
        array = f"{kind}:{dtype or 'f4'}:{count * width}"
        return f"{name}={array}" if stars == 1 else f"'{name}=[{array}]'"
    if re.search(r"tensor_?map", ctype, re.I):
        return f"{name}=box:16x16:rand:f2:256x256"
    if dtype is None:
        known = members(ctype, texts)
        inside = ",".join(f"{member.name}=..." for member, _ in known or ())
        return f"'{name}={{{inside}}}'" if known else f"{name}=..."
    number = "1" if dtype[0] in "fb?" else str(count)
    if given is not None and width == 1:
        number = str(given)
    return f"{name}={','.join([number] * width)}"


def _same(written, name):
    """Does a launch that writes one name mean the kernel of another? Namespaces may be missing."""
    return written == name or name.endswith(f"::{written}") or written.endswith(f"::{name}")


def _expression(code, at):
    """Where the kernel's expression begins that ends at ``at``; None where there is none."""
    before = code[:at].rstrip()
    if before.endswith(">"):
        depth = 0
        for begin in range(len(before) - 1, -1, -1):
            depth += {">": 1, "<": -1}.get(before[begin], 0)
            if depth == 0 or before[begin] in ";{}":
                break
        if depth:
            return None
        before = before[:begin].rstrip()
    name = re.search(r"[A-Za-z_][\w:]*$", before)
    return name.start() if name else None


def _extent(text, code, depth=0):
    """What a grid or a block comes to: (16, 16) of 'dim3(16, 16)', or of a dim3's name; or None."""
    text = text.strip()
    made = re.fullmatch(r"(?:dim3\s*)?([({])(.*)[)}]", text, re.S)
    if made and (text.startswith("dim3") or text.startswith("{")):
        values = [_value(part, code) for part in split(made[2])]
        return tuple(values) if values and None not in values and len(values) <= 3 else None
    if re.fullmatch(r"[A-Za-z_]\w*", text) and depth < _DEPTH:
        found = list(re.finditer(rf"\bdim3\s+[^;]*?\b{text}\s*([({{=][^;]*);", code))
        if found:
            said = found[-1][1].lstrip("= ")
            said = said[: closing(said, 0) + 1] if said[0] in "({" else said
            return _extent(said if said[0] not in "({" else f"dim3{said}", code, depth + 1)
    value = _value(text, code)
    return None if value is None or value < 1 else (value,)


def _value(text, code, depth=0):
    """What an expression of whole numbers comes to, None where it cannot be told."""
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text)
    try:
        text = re.sub(r"\bsizeof\s*\(\s*(\w[\w ]*)\)", _size, text)
        return _evaluate(ast.parse(text.strip(), mode="eval").body, code, depth)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _evaluate(node, code, depth):
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            pair = _evaluate(left, code, depth), _evaluate(right, code, depth)
            return _OPERATORS[type(op)](*pair)
        case ast.Name(id=name) if depth < _DEPTH:
            found = list(
                re.finditer(
                    rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+([^\n]+)$"
                    rf"|\b(?:int|unsigned|size_t|long|auto|u?int\d+_t)\s+(?:[^;()]*,\s*)?{name}"
                    r"\s*(?:=|\{)\s*([^;,{}]+)",
                    code,
                    re.M,
                )
            )
            value = _value(found[-1][1] or found[-1][2], code, depth + 1) if found else None
            if value is not None:
                return value
    raise ValueError(node)


def _size(match):
    dtype, width = argument_texts.type_of(" ".join(match[1].split()))
    if dtype is None:
        raise ValueError(match[0])
    return str((2 if dtype == argument_texts.BF16 else int(dtype[1:] or 1)) * width)

"""What of a student's file the compiler may see: one file of some size, and its own headers.

The compiler opens any file that an #include names and quotes it in its log. So every directive
is looked at before, wherever it stands: in comments and strings too, since what the compiler takes
for one can be hidden from whoever reads less exactly.
"""

import re
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

from warpbook.launch import source

LARGEST = 256 * 1024  # bytes; the book's largest kernel has 12 KB

_SPLICE = re.compile(r"\\[ \t\f\v]*\n")  # where the compiler joins two lines
_SPACE = r"(?>\s|/\*.*?\*/)*+"
_DIRECTIVE = re.compile(rf"(?:#|%:|\?\?=){_SPACE}(include\w*|import|embed)\b([^\n]*)", re.S)
_HAS = re.compile(rf"__has_(?:include|embed)\w*(?!\w){_SPACE}(\([^)\n]*\)?)?", re.S)
_ASKED = re.compile(r"(?:#[ \t]*ifn?def[ \t]+|\bdefined[ \t]*\(?[ \t]*)$")
_NAME = re.compile(r'[ \t]*(?:<([^<>"\n]+)>|"([^<>"\n]+)")[ \t]*')
_PLAIN = re.compile(r"(?!.*(?:^|/)\.\.(?:/|$))\w[\w.+-]*(?:/[\w.+-]+)*")
_ASSEMBLER = re.compile(r"\.inc(?:bin|lude)\b")


def check_file(path: Path) -> None:
    """Raise ValueError for a symbolic link, which may lead to any file, and for too large a file.

    Raises FileNotFoundError for what is no file.
    """
    if path.is_symlink():
        raise ValueError(f"{path.name} is a symbolic link. Grade a file: copy what it leads to.")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    if path.stat().st_size > LARGEST:
        raise ValueError(
            f"{path.name} has {path.stat().st_size:,} bytes; a file of at most {LARGEST:,} is "
            "graded. Send the kernel alone."
        )


def check_includes(path: Path) -> None:
    """Raise ValueError, with the line, for a directive that would read another file of the host.

    Allowed are the compiler's headers by their plain names, <cuda_fp16.h> or <cuda/std/limits>.
    """
    text = source.read(path)
    pieces = _SPLICE.split(text)
    starts = list(accumulate(map(len, pieces[:-1]), initial=0))
    text = "".join(pieces)

    def refuse(at, what):
        line = text.count("\n", 0, at) + bisect_right(starts, at)
        raise ValueError(
            f"{path.name}:{line}: {' '.join(what.split())[:80]} is refused: a file is graded "
            "alone, with the compiler's own headers, such as #include <cuda_fp16.h>. "
            "Write what you need of other files into this one."
        )

    for found in _DIRECTIVE.finditer(text):
        if found[1] in ("import", "embed") or not _is_header(path, found[2]):
            refuse(found.start(), found.group())
    for found in _HAS.finditer(text):
        asked = _ASKED.search(text, max(0, found.start() - 80), found.start())
        if not asked and not _is_header(path, (found[1] or "()")[1:-1]):
            refuse(found.start(), found.group())
    found = _ASSEMBLER.search(text)
    if found:
        refuse(found.start(), found.group())


def _is_header(path, said):
    """Whether an include's operand is a plain name, in quotes none of a file beside the copy."""
    operand = _NAME.fullmatch(re.sub(r"//.*", "", re.sub(r"/\*.*?\*/", " ", said)))
    name = operand and (operand[1] or operand[2])
    if not name or not _PLAIN.fullmatch(name):
        return False
    beside = path.parent / name
    return not operand[2] or not (beside.exists() or beside.is_symlink())

"""The planted solutions of an exercise, wrong and right: python tools/planted.py topic/name [stem]

tests/planted/<topic>/<name>.cu holds all of one exercise, in sections. A section says what it is,
and holds what lies between the solution's markers:

    // WRONG no_guard: the last block writes past the end.
    // BEGIN SOLUTION 1
        out[i] = 2 * in[i];
    // END SOLUTION 1

A region that a section leaves out is that of the book's solution. Lines elsewhere are replaced so,
whole lines that stand in the solution once:

    // INSTEAD OF
        __syncthreads();
    // WRITE
        __syncwarp();
    // END

A section with neither is a whole kernel. RIGHT in place of WRONG begins one that gets all points.

Without a stem the command lists the exercise's planted solutions; with one it grades it, and
--text prints it instead.
"""

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from warpbook.grading import exercises
from warpbook.grading.grade import grade

PLANTED = Path(__file__).resolve().parents[1] / "tests" / "planted"
_SECTION = re.compile(r"^// (WRONG|RIGHT) (\w+): (.+)\n", re.M)
_REGION = re.compile(
    r"^[ \t]*// BEGIN SOLUTION (\d+)(?:: [^\n]+)?\n(.*?)^[ \t]*// END SOLUTION \1\n", re.M | re.S
)
_EDIT = re.compile(r"^// INSTEAD OF\n(.*?)^// WRITE\n(.*?)^// END\n", re.M | re.S)
_MARK = re.compile(r"^[ \t]*// (?:(?:BEGIN|END) SOLUTION|INSTEAD OF|WRITE$|END$).*", re.M)
_HINT = re.compile(r"^[ \t]*// HINT \d+: .+\n(?:[ \t]*// {3,}\S.*\n)*", re.M)
_GIVEN = re.compile(r"^[ \t]*// GIVEN:.*\n", re.M)


@dataclass(frozen=True)
class Planted:
    """One planted solution of an exercise: whether it is right, what it is, its whole text."""

    stem: str
    right: bool
    title: str
    text: str

    def write(self, folder: Path) -> Path:
        """Write it to <stem>.cu in a folder, for the grader, and return the path."""
        path = Path(folder) / f"{self.stem}.cu"
        path.write_text(self.text, encoding="utf-8")
        return path


def planted(name: str) -> list[Planted]:
    """Return what is planted for 'topic/name', in the file's order; nothing where nothing is.

    Raises ValueError that names the section with a region or lines that the solution has not.
    """
    path = PLANTED / f"{name}.cu"
    if not path.is_file():
        return []
    solution = exercises.solution_path(name).read_text(encoding="utf-8")
    before, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    if before.strip():
        raise ValueError(f"{name}: '{before.strip()[:60]}' stands above the first // WRONG.")
    sections = list(zip(*[iter(parts)] * 4, strict=True))
    stems = [stem for _, stem, _, _ in sections]
    twice = sorted({stem for stem in stems if stems.count(stem) > 1})
    if twice:
        raise ValueError(f"{name}: {twice[0]} is there twice. Give each section its own name.")
    return [
        Planted(
            stem,
            kind == "RIGHT",
            title,
            f"// {kind.capitalize()}: {title}\n" + _text(f"{name}, {stem}", body, solution),
        )
        for kind, stem, title, body in sections
    ]


def names() -> list[str]:
    """Return the exercises that have planted solutions, as 'topic/name'."""
    return sorted(f"{path.parent.name}/{path.stem}" for path in PLANTED.glob("*/*.cu"))


def _text(where, body, solution):
    """The code that a section stands for; the solution's where it says nothing else."""
    regions = dict(_REGION.findall(body))
    rest = _REGION.sub("", body)
    edits = _EDIT.findall(rest)
    rest = _EDIT.sub("", rest).strip("\n")
    mark = _MARK.search(rest)
    if mark:
        raise ValueError(f"{where}: '{mark[0]}' begins or ends nothing. Look for its other half.")
    if not regions and not edits:
        return rest + "\n"
    if rest:
        line = rest.splitlines()[0].strip()
        raise ValueError(f"{where}: '{line}' stands in no region and in no lines to be replaced.")
    unknown = sorted(regions.keys() - dict(_REGION.findall(solution)).keys())
    if unknown:
        raise ValueError(f"{where}: the solution has no region {unknown[0]}.")
    text = _REGION.sub(lambda m: regions.get(m[1], _GIVEN.sub("", m[2])), _HINT.sub("", solution))
    for old, new in edits:
        found = [m.start() for m in re.finditer(rf"^{re.escape(old)}", text, re.M)]
        if not old or len(found) != 1:
            raise ValueError(
                f"{where}: the lines to be replaced, '{' '.join(old.split())[:60]}', stand "
                f"{len(found) if old else 0} times in the solution. Write more of them, or fewer."
            )
        text = text[: found[0]] + new + text[found[0] + len(old) :]
    return text


def main() -> int:
    """List, grade or print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", help="an exercise, such as coalescing/fix_stride")
    parser.add_argument("stem", nargs="?", help="of one planted solution, such as no_guard")
    parser.add_argument("--text", action="store_true", help="print it, without grading it")
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    there = {one.stem: one for one in planted(given.name)}
    if given.stem not in there:
        for one in there.values():
            print(f"{'right' if one.right else 'wrong'}  {one.stem}: {one.title}")
        return 0 if given.stem is None else 2
    one = there[given.stem]
    if given.text:
        print(one.text, end="")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        result = grade(given.name, one.write(Path(folder)), seed=given.seed)
    print(result)
    return 0 if result.full == one.right else 1


if __name__ == "__main__":
    sys.exit(main())

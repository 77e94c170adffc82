"""Write an edition of the project: one for students, without solutions and answers, or a teacher's.

A students' edition lacks the solutions, the tests (which hold wrong and right solutions), the
teacher's guide and the answers that the chapters fold away; hints stay, in files of their own.
Everything else works in it: the chapters, `make book`, `start`, `grade`.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from warpbook.grading import exercises, variants
from warpbook.launch import source
from warpbook.recording import notebooks

OWN = ("book", "kernels", "warpbook")  # where a teacher's own chapters and exercises lie
HANDED_OUT = (*OWN, ".devcontainer", "tools")  # the folders of an edition for students
KEPT_BACK = (
    "book/exam/paper.md",
    "book/exam/solutions.md",
    "book/teaching.md",
    "tools/grade_seeds.py",
    "tools/planted.py",
)  # and every exercises/solutions
FOLDERS = tuple(f"{name}/" for name in HANDED_OUT)
TEACHERS_PAGE = re.compile(r"^ *- file: teaching\n", re.M)
# What folds an answer away in a chapter. Hints, and other things that fold, stay.
ANSWER = re.compile(
    r"\n*<details>\s*<summary>(?:A possible answer|Answers?|Solution|Where they are)</summary>"
    r".*?</details>",
    re.S,
)
NOTE = """
> **{kind}.** It was written by `python -m warpbook class release`. {what}
"""
STUDENTS = (
    "It has no solutions, no answers and no tests: `make test` is for the full edition. "
    "`python -m warpbook list` lists the exercises."
)


@dataclass(frozen=True)
class Edition:
    """What was written: where, how many files, and which exercises a variant has changed."""

    folder: Path
    files: int
    changed: tuple = ()
    unchanged: tuple = ()


def release(
    folder: Path,
    with_solutions: bool = False,
    variant: int | None = None,
    names: list[str] | None = None,
) -> Edition:
    """Write an edition to a folder that is not there yet, or is empty; return an Edition.

    with_solutions: the teacher's. variant: a seed, by which exercises get other names, orders of
    parameters, sizes and constants, where their solutions still get all points then; both editions
    of one seed fit together. names: the exercises that may change, all by default.
    Raises FileExistsError for a folder with something in it, RuntimeError outside a checkout or
    where the solutions are missing.
    """
    folder, root = Path(folder).absolute(), source.KERNELS.parent
    if source.KERNELS.name != "kernels" or not (root / "_toc.yml").is_file():
        raise RuntimeError(
            "an edition is written from a checkout of the project, not from a wheel."
        )
    missing = [n for n in exercises.exercises() if not exercises.solution_path(n).is_file()]
    if missing:
        raise RuntimeError(f"this is a students' edition: it has no solution of {missing[0]}.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already. Name a folder that is not.")
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        edition = _written(root, part, with_solutions, variant, names)
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Edition(folder, edition.files, edition.changed, edition.unchanged)


def _written(root, part, with_solutions, variant, names):
    kept = tracked(root)
    if not with_solutions:
        kept = [name for name in kept if name not in KEPT_BACK]
    if variant is not None or not with_solutions:
        # the others hold wrong and right solutions, those of the exercises as they were
        kept = [name for name in kept if "/" not in name or name.startswith(FOLDERS)]
    if part.is_relative_to(root):
        inside = part.relative_to(root).as_posix()
        kept = [name for name in kept if not name.startswith(inside)]
    for name in kept:
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, part / name)
    changed, unchanged = (), ()
    if variant is not None:
        changed, unchanged = variants.vary(part / "kernels", variant, names, part / "book")
    if not with_solutions:
        _without_solutions(part)
    for path in sorted((part / "book").rglob("*.ipynb")):
        _rewrite(path, with_solutions, set(changed))
    kind = "The teacher's edition" if with_solutions else "An edition for students"
    what = "" if with_solutions else STUDENTS
    if variant is not None and with_solutions:
        what = f"Its exercises are variant {variant}; it has no tests."
    readme = part / "README.md"
    if readme.is_file():
        first, _, rest = readme.read_text(encoding="utf-8").partition("\n")
        readme.write_text(
            f"{first}\n{NOTE.format(kind=kind, what=what).rstrip()}\n{rest}", encoding="utf-8"
        )
    return Edition(part, len(kept), tuple(changed), tuple(unchanged))


def tracked(root: Path) -> list[str]:
    """Return the project's files: those that git tracks, and new ones in OWN.

    What else lies in a checkout, such as submissions or a teacher's seed, goes into no edition.
    """
    try:
        git = ["git", "-C", root, "ls-files", "-z"]
        new = ["--others", "--exclude-standard", "--", *OWN]
        listed = [
            name
            for command in (git, git + new)
            for name in subprocess.run(
                command, capture_output=True, encoding="utf-8", check=True
            ).stdout.split("\0")
        ]
    except (OSError, subprocess.CalledProcessError):
        listed = []
        for name in HANDED_OUT:
            listed += [p.relative_to(root).as_posix() for p in sorted((root / name).rglob("*"))]
        listed += [p.name for p in sorted(root.iterdir()) if p.suffix in (".md", ".toml", ".yml")]
        listed += ["LICENSE", "Makefile", "CITATION.cff", "requirements.txt", ".gitignore"]
        left = re.compile(r"(^|/)(__pycache__|_build|\.ipynb_checkpoints)/")
        listed = [name for name in listed if not left.search(name)]
    return [name for name in listed if name and (root / name).is_file()]


def _without_solutions(part):
    """Take the solutions and the teacher's page away; what the package needs of them stays."""
    for folder in sorted((part / "kernels").glob(f"*/{exercises.SOLVED}")):
        for path in sorted(folder.glob("*.cu")):
            hints = folder.parent / "hints" / f"{path.stem}.txt"
            hints.parent.mkdir(exist_ok=True)
            said = exercises.hints_in(path.read_text(encoding="utf-8"))
            hints.write_text("".join(f"{hint}\n" for hint in said), encoding="utf-8")
        shutil.rmtree(folder)
    for path in (part / "kernels").glob(f"*/exercises/{variants.CONSTANTS}"):
        path.unlink()
    toc = part / "_toc.yml"
    toc.write_text(TEACHERS_PAGE.sub("", toc.read_text(encoding="utf-8")), encoding="utf-8")


def _rewrite(path, with_solutions, changed):
    """Take the answers out of a chapter, and what it shows of exercises that have changed."""
    notebook = notebooks.read(path)
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and not with_solutions:
            cell.source = ANSWER.sub("", cell.source)
        named = re.findall(r"\b(?:start|grade)\(\s*\"([\w/]+)\"", cell.source)
        if cell.cell_type == "code" and changed & set(named):
            cell.outputs, cell.execution_count = [], None
    notebooks.write(notebook, path)

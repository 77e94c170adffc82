"""Which tests `make test` leaves to `make proof`, unless a changed file calls for them."""

import re
import subprocess
from fnmatch import fnmatchcase
from functools import cache

from helpers import BOOK, ROOT

DISPLAY = ["warpbook/display/*"]
SITE = [*DISPLAY, "book/_ext/*", "book/_static/*", "_config.yml", "_toc.yml"]
PLANTED = ["kernels/{topic}/exercises/*", "tests/planted/{topic}/*", "warpbook/grading/*"]
# A pattern of tests' ids, and patterns of the changed files for whose sake `make test` runs them.
# {parameter} is what the id has in brackets, {topic} its first word.
PROOF = {
    "tests/book/test_build.py::*": [*SITE, "book/*"],
    "tests/book/test_site.py::*": [*SITE, "book/{parameter}.*"],
    "tests/book/test_slides.py::*": [*SITE, "book/05_coalescing.*", "book/15_matmul_naive.*"],
    "tests/book/test_chapters.py::*": ["book/{parameter}.ipynb"],  # and its kernels
    "tests/grading/test_book_exercises.py::test_what_is_right_in_another_way*": PLANTED,
    "tests/grading/test_book_exercises.py::test_a_wrong_solution*": PLANTED,
    "tests/kernels/test_golden.py::*other_launches*": ["kernels/{topic}/*", "emulator/warpemu/*"],
    "tests/kernels/test_kernels.py::*newer_architectures*": ["kernels/{topic}/*"],
    "tests/kernels/test_matmul.py::*": ["kernels/matmul/*"],
    "tests/measure/test_peers.py::*nvcc_compiles*": ["tools/peers/*", "warpbook/measure/peers.py"],
}
BROWSER = DISPLAY  # what calls for all other tests that open a browser
ALL = ["requirements.txt", "tests/conftest.py", "tests/helpers.py", "tests/tiers.py"]


def callers(test, fixtures=()):
    """Patterns of the changed files that call for a test; None where every change does.

    test: its id; fixtures: the names of those that it uses.
    """
    file, _, rest = test.partition("::")
    parameter = rest.partition("[")[2].removesuffix("]")
    topic = re.split(r"[/ -]", parameter)[0]
    found = [files for pattern, files in PROOF.items() if fnmatchcase(test, pattern)]
    if not found and "browser" not in fixtures:
        return None
    files = found[0] if found else BROWSER
    own = kernels(parameter) if file == "tests/book/test_chapters.py" else []
    return [file, *ALL, *own, *(f.format(parameter=parameter, topic=topic) for f in files)]


@cache
def kernels(chapter):
    """Patterns of the files of the kernels that a chapter names, and of what they may include."""
    path = BOOK / f"{chapter}.ipynb"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    topics, names = set(re.findall(r"\b(\w+)/", text)), set(re.findall(r"\b\d\d_\w+", text))
    there = [path.name for path in (ROOT / "kernels").iterdir() if path.name in topics]
    return [f"kernels/{topic}/{name}.*" for topic in there for name in [*sorted(names), "parts"]]


def called(test, fixtures, changed):
    """Whether `make test` runs a test. changed: files, from the project's folder; None: unknown."""
    files = callers(test, fixtures)
    return (
        files is None
        or changed is None
        or any(fnmatchcase(name, pattern) for name in changed for pattern in files)
    )


def git(*words, folder=ROOT):
    """The lines that git prints; None where it fails, or where there is no git."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout.splitlines()


def changes(folder=ROOT):
    """The files that differ from main, new ones too, and a sentence that says so.

    They are compared with the commit at which the work left main: origin/main or, where there is
    none, main. None, where neither is there.
    """
    mains = [
        name
        for name in ("origin/main", "main")
        if git("rev-parse", "-q", "--verify", name, folder=folder)
    ]
    if not mains:
        return None, (
            "There is no branch main here to compare with, so every test runs; "
            "`git fetch origin main:main` lets `make test` choose."
        )
    left = git("merge-base", "HEAD", mains[0], folder=folder)  # of shallow histories there is none
    base = left[0] if left else mains[0]
    named = f"{mains[0]} ({git('rev-parse', '--short', base, folder=folder)[0]})"
    differ = git("diff", "--name-only", "--no-renames", base, folder=folder)
    new = git("ls-files", "--others", "--exclude-standard", folder=folder)
    changed = sorted({*differ, *new})
    if changed:
        return changed, (
            f"{len(changed)} files differ from {named}: `make test` runs what they can break, "
            "`make proof` everything."
        )
    return [], (
        f"Nothing differs from {named}: `make test` runs what every change is tested with, "
        "`make proof` everything."
    )

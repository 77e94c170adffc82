"""The repository itself: its sizes, its words, its order, its links."""

import ast
import re
import subprocess

import pytest
from helpers import PAGES, ROOT

MOST_BYTES = 1 << 20
MOST_OF_A_PAGE = 1_500_000  # with its drawn figures and its listings
# Left-overs, and places of one machine. In brackets, so that this file is no example of them.
FORBIDDEN = re.compile(
    r"\b(?:[T]ODO|[F]IXME|[X]XX|[l]orem ipsum)\b|/[r]oot/|/[h]ome/\w+/|/[U]sers/\w+/"
    r"|/tmp/[i]pykernel"
    r"|[e]xtra-index-url|" + re.escape(ROOT.as_posix()) + r"\b"
)
LINK = re.compile(
    r"(?<!\\)\]\((?!https?:|mailto:|#)([^)\s]+)\)|(?:href|src)=\"(?!https?:|#)([^\"]+)\""
)


def files():
    """Every file that git tracks and that is there."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    if names.returncode:
        pytest.skip("not a git checkout: there is no list of the project's files")
    return [ROOT / n for n in names.stdout.split("\0") if n and (ROOT / n).is_file()]


def large(paths):
    most = {".ipynb": MOST_OF_A_PAGE}
    return [p for p in paths if p.stat().st_size > most.get(p.suffix, MOST_BYTES)]


def forbidden(text):
    """The words and places in a text that have no place in the project."""
    return [m[0] for m in FORBIDDEN.finditer(text)]


def dead(text, folder):
    """Relative links of a Markdown text that lead nowhere."""
    targets = [a or b for a, b in LINK.findall(text)]
    return [t for t in targets if not (folder / t.split("#")[0]).exists()]


def in_the_locale(text):
    """Lines of a Python text that read or write text in the machine's encoding, not in UTF-8. (Some
    versions of NVRTC change a process's encoding to ASCII.) What ruff sees too is left to it.
    """
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            method = getattr(node.func, "attr", "") in ("read_text", "write_text")
            process = "True" in (given.get("text"), given.get("universal_newlines"))
            if (method or process) and "encoding" not in given:
                found.append(node.lineno)
    return found


def chapters(pages):
    return [p for p in pages if re.match(r"\d\d_", p)]


def test_no_file_is_large():
    assert large(files()) == []


def test_no_word_or_place_is_forbidden():
    found = {}
    for path in files():
        try:
            words = forbidden(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
        if words:
            found[path.relative_to(ROOT).as_posix()] = words[:3]
    assert found == {}


def test_every_text_is_utf_8():
    python = [path for path in files() if path.suffix == ".py"]
    found = {path.name: in_the_locale(path.read_text(encoding="utf-8")) for path in python}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_links_of_the_readme_lead_somewhere():
    assert dead((ROOT / "README.md").read_text(encoding="utf-8"), ROOT) == []


@pytest.mark.parametrize("page", ["index.md", "results_by_gpu.md"])
def test_links_of_the_front_pages_lead_somewhere(page):
    assert dead((ROOT / "book" / page).read_text(encoding="utf-8"), ROOT / "book") == []


def test_ls_is_the_table_of_contents():
    there = sorted(p.stem for p in (ROOT / "book").glob("[0-9][0-9]_*.ipynb"))
    assert chapters(PAGES) == there


def test_folders_of_the_readme_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([\w./*]+)` \|", text, re.M)
    assert named and all(list(ROOT.glob(name.rstrip("/"))) for name in named)


# Planted.


@pytest.mark.parametrize(
    "text", ["path.read_text()", "f(path).write_text(x)", "run(command, text=True, check=True)"]
)
def test_the_encoding_of_a_machine_is_found(text):
    assert in_the_locale(text) == [1]
    assert in_the_locale(f"{text[:-1]}, encoding='utf-8')".replace("(, ", "(")) == []

"""The repository itself: its sizes, its words, its order, its links."""

import re
import subprocess
from pathlib import Path

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
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
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


def chapters(pages):
    return [p for p in pages if re.match(r"\d\d_", p)]


def test_no_file_is_large():
    assert large(files()) == []


def test_no_word_or_place_is_forbidden():
    found = {}
    for path in files():
        try:
            words = forbidden(path.read_text())
        except UnicodeDecodeError:
            continue
        if words:
            found[path.relative_to(ROOT).as_posix()] = words[:3]
    assert found == {}


def test_links_of_the_readme_lead_somewhere():
    assert dead((ROOT / "README.md").read_text(), ROOT) == []


@pytest.mark.parametrize("page", ["index.md", "results_by_gpu.md"])
def test_links_of_the_front_pages_lead_somewhere(page):
    assert dead((ROOT / "book" / page).read_text(), ROOT / "book") == []


def test_ls_is_the_table_of_contents():
    there = sorted(p.stem for p in (ROOT / "book").glob("[0-9][0-9]_*.ipynb"))
    assert chapters(PAGES) == there


def test_folders_of_the_readme_exist():
    text = (ROOT / "README.md").read_text()
    named = re.findall(r"^\| `([\w./*]+)` \|", text, re.M)
    assert named and all(list(ROOT.glob(name.rstrip("/"))) for name in named)


# Planted faults: each check can fail.


def test_a_large_file_is_found(tmp_path):
    (tmp_path / "large").write_bytes(bytes(MOST_BYTES + 1))
    (tmp_path / "small").write_bytes(bytes(MOST_BYTES))
    (tmp_path / "large.ipynb").write_bytes(bytes(MOST_OF_A_PAGE + 1))
    (tmp_path / "small.ipynb").write_bytes(bytes(MOST_OF_A_PAGE))
    assert sorted(large(tmp_path.iterdir())) == [tmp_path / "large", tmp_path / "large.ipynb"]


@pytest.mark.parametrize("text", ["# TO-DO: later", "/ho-me/me/x.cu", "/ro-ot/x"])
def test_a_forbidden_word_is_found(text):
    assert forbidden(text.replace("-", ""))
    assert forbidden(f"{ROOT}/kernels")
    assert not forbidden("work/coalescing/fix_stride.cu is yours; so is the root of the tree")


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "here.md").touch()
    text = '[a](here.md#x) [b](gone.md) ![c](gone.svg) <img src="gone.png"> [d](https://x.y/z)'
    assert dead(text, Path(tmp_path)) == ["gone.md", "gone.svg", "gone.png"]


def test_pages_out_of_order_are_found():
    assert chapters(["index", "02_b", "01_a", "results"]) != sorted(["01_a", "02_b"])

"""`make test` runs what a change can break; CI leaves no test out."""

import re
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest
import tiers
import yaml
from helpers import ROOT, TESTS

SITE = "tests/book/test_site.py::test_page_is_sound_and_legible_everywhere[05_coalescing]"
CHAPTER = "tests/book/test_chapters.py::test_a_chapter_runs[05_coalescing]"
LAUNCH = "tests/kernels/test_golden.py::test_its_other_launches_have_no_fault[matmul/02_x n=3]"
NEWER = (
    "tests/kernels/test_kernels.py::test_kernel_compiles_for_newer_architectures[matmul/02_x.cu]"
)
WRONG = "tests/grading/test_book_exercises.py::test_a_wrong_solution[matmul/tile-no_guard]"
PROOF = [SITE, CHAPTER, LAUNCH, NEWER, WRONG]


@pytest.mark.parametrize(
    "changed, calls",
    [
        ([], []),
        (["README.md", "warpbook/measure/bench.py"], []),
        (["book/05_coalescing.ipynb"], [SITE, CHAPTER]),
        (["book/06_reduction.ipynb"], []),
        (["kernels/coalescing/01_strided.cu"], [CHAPTER]),
        (["kernels/coalescing/99_new.cu"], []),
        (["kernels/matmul/02_x.cu"], [LAUNCH, NEWER]),
        (["kernels/matmul/exercises/solutions/tile.cu"], [LAUNCH, NEWER, WRONG]),
        (["tests/planted/matmul/tile.cu"], [WRONG]),
        (["warpbook/display/predictions.js"], [SITE]),
        (["book/_static/style.css"], [SITE]),
        (["emulator/warpemu/memory.py"], [LAUNCH]),
        (["tests/kernels/test_golden.py"], [LAUNCH]),
        (["requirements.txt"], PROOF),
        (None, PROOF),
    ],
)
def test_a_changed_file_calls_for_its_tests(changed, calls):
    assert [test for test in PROOF if tiers.called(test, (), changed)] == calls


def test_lab_notes_call_for_tests_of_their_own():
    own = CHAPTER.replace("05_", "lab/05_")
    assert tiers.called(own, (), ["book/lab/05_coalescing.ipynb"])
    assert not tiers.called(own, (), ["book/05_coalescing.ipynb"])


def test_what_is_not_left_to_the_proof_always_runs():
    assert tiers.called("tests/launch/test_cpu.py::test_a[x]", (), [])
    assert tiers.called("emulator/tests/test_waits.py::test_a", (), [])
    opens = "tests/display/test_plots.py::test_b", ["browser"]
    assert not tiers.called(*opens, []) and tiers.called(*opens, ["warpbook/display/plots.py"])


@pytest.mark.parametrize("pattern", tiers.PROOF)
def test_every_pattern_is_of_a_test_that_is_there(pattern):
    file, _, name = pattern.partition("::")
    names = re.findall(r"^def (\w+)", (ROOT / file).read_text(encoding="utf-8"), re.M)
    assert any(fnmatchcase(test, name) for test in names)


def repository(folder):
    """A project with a branch main and a work branch that differs from it in three files."""

    def git(*words):
        said = ["-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(["git", *said], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (folder / "old").touch()
    git("add", "."), git("commit", "-qm", "first")
    git("checkout", "-qb", "work")
    (folder / "committed").touch()
    git("add", "."), git("commit", "-qm", "second")
    (folder / "old").write_text("edited", encoding="utf-8")
    (folder / "new").touch()
    git("branch", "-q", "elsewhere")
    return git


def test_what_differs_is_committed_edited_or_new(tmp_path):
    git = repository(tmp_path)
    changed, said = tiers.changes(tmp_path)
    assert changed == ["committed", "new", "old"]
    assert said.startswith("3 files differ from main (")
    git("stash", "-qu"), git("checkout", "-q", "main")
    (tmp_path / "later").touch()
    git("add", "."), git("commit", "-qm", "third")
    changed, said = tiers.changes(tmp_path)
    assert changed == [] and said.startswith("Nothing differs from main (")
    git("checkout", "-q", "work")  # which does not have what came later to main
    assert tiers.changes(tmp_path)[0] == ["committed"]


def test_the_base_of_a_shallow_clone_is_main_itself(tmp_path):
    (tmp_path / "whole").mkdir()
    repository(tmp_path / "whole")
    clone = ["git", "clone", "-q", "--depth=1", "--no-single-branch"]
    address = (tmp_path / "whole").as_uri()
    subprocess.run([*clone, address, tmp_path / "shallow"], check=True, capture_output=True)
    changed, said = tiers.changes(tmp_path / "shallow")
    assert changed == ["committed"] and "origin/main (" in said


def test_without_main_everything_runs(tmp_path):
    assert tiers.changes(tmp_path)[0] is None  # no repository at all
    git = repository(tmp_path)
    git("branch", "-D", "main")
    changed, said = tiers.changes(tmp_path)
    assert changed is None and "every test runs" in said


def test_the_jobs_of_ci_leave_no_test_out():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")
    matrix = yaml.safe_load(text)["jobs"]["proof"]["strategy"]["matrix"]
    given = {job["part"]: job["tests"].split() for job in matrix["include"]}
    left = {word.removeprefix("--ignore=") for word in given.pop("package")}
    assert left == {word for words in given.values() for word in words}
    assert set(matrix["part"]) == {"package", *given}
    assert all((ROOT / path).exists() for path in left)


@pytest.mark.parametrize(
    "words, ran",
    [
        ("-n1 --dist=worksteal --tier=test", ["test_always"]),
        ("--tier=rest", ["test_only_in_the_proof"]),
        ("--tier=rest -k always", []),
        ("--tier=test tests/kernels", ["test_only_in_the_proof"]),
    ],
)
def test_what_pytest_runs(tmp_path, words, ran):
    git = repository(tmp_path)
    (tmp_path / "tests" / "kernels").mkdir(parents=True)
    for name in ("conftest.py", "tiers.py", "helpers.py"):
        shutil.copy(TESTS / name, tmp_path / "tests")
    shutil.copy(ROOT / "_toc.yml", tmp_path)
    ini = "[pytest]\npythonpath = tests\ntestpaths = tests\n"
    (tmp_path / "pytest.ini").write_text(ini, encoding="utf-8")
    (tmp_path / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n", encoding="utf-8")
    tests = {"test_a.py": "always", "kernels/test_matmul.py": "only_in_the_proof"}
    for file, name in tests.items():
        text = f"def test_{name}(): pass\n"
        (tmp_path / "tests" / file).write_text(text, encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "third")
    git("branch", "-f", "main")
    command = [sys.executable, "-m", "pytest", "-v", *words.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(dict.fromkeys(re.findall(r"::(test_\w+)", done.stdout))) == ran
    assert ("Nothing differs from main" in done.stdout) == ("tests/kernels" not in words)

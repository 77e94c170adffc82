"""Editions: a student's has nothing of the solutions and works all the same; a variant differs."""

import json
import os
import re
import subprocess
import sys
import tomllib

import nbformat
import pytest
from helpers import ROOT

from warpbook.__main__ import main
from warpbook.grading import exercises, release, variants
from warpbook.grading.draws import Draw
from warpbook.grading.grade import graded
from warpbook.launch import source

SOLVED = "kernels/{}/exercises/solutions/{}.cu"
VARIED = ["vector_add/deal", "vector_add/saxpy", "warps/place", "window_sum/maximum"]
MARKED = re.compile(r"// BEGIN SOLUTION \d+.*?\n(.*?)\s*// END SOLUTION", re.S)
LONG = 40  # characters: what is shorter may stand anywhere
READ = {".cu", ".ipynb", ".json", ".md", ".py", ".toml", ".txt"}


def dense(text):
    """Source without comments and white space, to be looked for however it is laid out."""
    return re.sub(r"\s+", "", source.without_comments(text))


def solutions():
    """The marked regions of all solutions, without what is given."""
    regions = {}
    for name in exercises.exercises():
        for found in MARKED.finditer(exercises.solution_path(name).read_text(encoding="utf-8")):
            lines = [line for line in found[1].splitlines() if "// GIVEN: " not in line]
            if len(region := dense("\n".join(lines))) >= LONG:
                regions[region] = name
    return regions


def shown(path):
    """What a file shows of source: of a chapter its cells and what they print."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".ipynb":
        parts = [(c["source"], c.get("outputs", ())) for c in json.loads(text)["cells"]]
        plain = [o.get("data", {}).get("text/plain", "") for _, outputs in parts for o in outputs]
        return "\n".join("".join(part) for part in [*(source for source, _ in parts), *plain])
    return text


SCRIPT = """
from warpbook import grade, start
from warpbook.grading import exercises

print(len(exercises.exercises()), exercises.hints("vector_add/saxpy")[0][:22])
print(exercises.skeletons())
path = start("vector_add/saxpy").path
line = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = alpha * x[i] + y0[i]; //"
path.write_text(path.read_text().replace("// YOUR CODE 1:", line))
print(grade("vector_add/saxpy"))
"""


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    folder = tmp_path_factory.mktemp("editions") / "for students"
    assert main(["class", "release", str(folder)]) == 0
    return folder


def test_nothing_of_the_solutions_is_left(students):
    files = [path for path in students.rglob("*") if path.is_file()]
    names = [path.relative_to(students).as_posix() for path in files]
    assert not [n for n in names if "solutions/" in n or n.startswith(("tests/", ".git/"))]
    assert "book/teaching.md" not in names and "teaching" not in (students / "_toc.yml").read_text(
        encoding="utf-8"
    )
    # The book's own kernels teach what some exercises repeat: that is no leak.
    public = "".join(
        dense(path.read_text(encoding="utf-8"))
        for pattern in ("*/[0-9]*.cu", "*/exercises/*.cu")
        for path in source.KERNELS.glob(pattern)
    )
    regions = [region for region in solutions() if region not in public]
    assert len(regions) > 50
    texts = {path: shown(path) for path in files if path.suffix in READ}
    marked = [p for p in texts if p.parent.name == "exercises" and "END SOLUTION" in texts[p]]
    assert marked == []
    everything = {path: dense(text) for path, text in texts.items()}
    found = [(p, region) for p, text in everything.items() for region in regions if region in text]
    assert found == []


def test_no_answer_is_left_and_hints_are(students):
    book = [path.read_text(encoding="utf-8") for path in (students / "book").rglob("*.ipynb")]
    assert book and not [text for text in book if re.search(r"<summary>[^<]*[Aa]nswer", text)]
    assert [text for text in book if "<summary>Hint</summary>" in text]
    full = (ROOT / "book" / "05_coalescing.ipynb").read_text(encoding="utf-8")
    assert "36 sectors asked for, 12 different ones" in full
    assert not [text for text in book if "36 sectors asked for, 12 different ones" in text]


def test_the_package_works_without_solutions(students):
    script = students.parent / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, script],
        cwd=students,
        capture_output=True,
        encoding="utf-8",
        env=environment | {"PYTHONPATH": str(students)},
    )
    assert done.returncode == 0, done.stderr
    there = len(list(students.glob("kernels/*/exercises/*.cu")))
    assert done.stdout.startswith(f"{there} The grid holds more th\n[]\n"), done.stdout
    assert "vector_add/saxpy: 10 of 10 points (work/vector_add/saxpy.cu)" in done.stdout


def test_only_what_git_tracks_goes_out(tmp_path):
    assert ".venv" not in {name.split("/")[0] for name in release.tracked(ROOT)}
    for name in ("book/a.md", "work/b.cu", "README.md", "book/_build/c.html", "grades/Ada.zip"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert release.tracked(tmp_path) == ["book/a.md", "README.md"]


def test_a_folder_that_is_there_is_kept(tmp_path, capsys):
    (tmp_path / "mine.txt").touch()
    assert main(["class", "release", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.fixture(scope="module")
def variant(tmp_path_factory):
    folder = tmp_path_factory.mktemp("editions") / "variant"
    return release.release(folder, with_solutions=True, variant=7, names=VARIED)


def test_a_variant_takes_its_own_solution_and_no_public_one(variant, monkeypatch):
    assert sorted(variant.changed + variant.unchanged) == VARIED
    assert set(variant.changed) >= {"vector_add/deal", "vector_add/saxpy", "window_sum/maximum"}
    assert not (variant.folder / "tests").exists()
    public = {name: exercises.solution_path(name) for name in variant.changed}
    monkeypatch.setattr(source, "KERNELS", variant.folder / "kernels")
    for name, path in public.items():
        own = exercises.solution_path(name)
        assert own.read_text(encoding="utf-8") != path.read_text(encoding="utf-8")
        assert graded(name, own, 60, Draw(1), gpu=False).full
        assert graded(name, path, 60, Draw(1), gpu=False).points < 10
    assert exercises.skeletons(check=True) == []
    deal = exercises.solution_path("vector_add/deal").read_text(encoding="utf-8")
    number = re.search(r"\] \+ (\d)\.0f", deal)[1]
    assert number in "235" and f"+ {number}\n" in deal.partition("HINT")[0]


def test_a_variant_shows_nothing_of_the_exercise_as_it_was(variant):
    cells = nbformat.read(variant.folder / "book" / "01_first_kernel.ipynb", 4).cells
    shown = {c.source[7:-2]: c.outputs for c in cells if c.source[:7] == 'start("'}
    assert shown["vector_add/deal"] == [] and shown["vector_add/reverse"]


def test_one_seed_is_one_variant(variant):
    again = variants._plan("vector_add/deal", 7, source.KERNELS, ROOT / "book")
    assert again.text == (variant.folder / SOLVED.format("vector_add", "deal")).read_text(
        encoding="utf-8"
    )
    others = {variants._plan("vector_add/saxpy", n, source.KERNELS, None).text for n in range(9)}
    assert len(others) > 3


def test_every_constant_that_may_change_is_where_it_is_said_to_be():
    rules = sorted(source.KERNELS.glob(f"*/exercises/{variants.CONSTANTS}"))
    assert rules
    for path in rules:
        for stem, given in tomllib.loads(path.read_text(encoding="utf-8")).items():
            text = (path.parent / "solutions" / f"{stem}.cu").read_text(encoding="utf-8")
            function = variants._function(path.with_name("grading.py"), stem)
            for rule in given:
                assert all(place in text for place in rule["kernel"]), (path, stem)
                assert all(place in function for place in rule["grading"]), (path, stem)
                assert rule["constant"] not in rule["choices"]

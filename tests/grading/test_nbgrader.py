"""A notebook of one grade cell: what it returns is what nbgrader takes for its points.

With nbgrader installed (the extra `nbgrader`) it goes the whole way, from release to feedback.
Without it the same notebook is executed as nbgrader would execute it.
"""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from helpers import ROOT

from warpbook.grading import exercises

NAME = "vector_add/saxpy"
CELL = f'from warpbook import grade\n\nfloat(grade("{NAME}", "saxpy.cu"))'


@pytest.fixture
def assignment(tmp_path, monkeypatch):
    """A course with the assignment 'ex': its notebook and the skeleton beside it."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path[1:]]))
    monkeypatch.setenv("WARPBOOK_EMULATE", "1")
    scripts = str(Path(sys.executable).parent)  # nbgrader calls `alembic` by its name
    monkeypatch.setenv("PATH", os.pathsep.join([scripts, os.environ["PATH"]]))
    marks = {
        "grade": True,
        "solution": False,
        "locked": True,
        "schema_version": 3,
        "grade_id": "saxpy",
        "points": 10,
        "cell_type": "code",
    }
    cell = nbformat.v4.new_code_cell(CELL, metadata={"nbgrader": marks}, id="saxpy")
    notebook = nbformat.v4.new_notebook(
        cells=[cell],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    folder = tmp_path / "source" / "ex"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "saxpy.ipynb")
    (folder / "saxpy.cu").write_text(
        exercises.skeleton_path(NAME).read_text(encoding="utf-8"), encoding="utf-8"
    )
    return folder


def test_the_cell_returns_the_points(assignment):
    from nbclient import NotebookClient

    (assignment / "saxpy.cu").write_text(
        exercises.solution_path(NAME).read_text(encoding="utf-8"), encoding="utf-8"
    )
    notebook = nbformat.read(assignment / "saxpy.ipynb", 4)
    NotebookClient(notebook, resources={"metadata": {"path": str(assignment)}}).execute()
    (output,) = notebook.cells[0].outputs
    assert output.data["text/plain"] == "10.0"


def test_from_release_to_feedback(assignment, tmp_path, monkeypatch):
    pytest.importorskip("nbgrader", reason="the extra `nbgrader` is not installed")
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    monkeypatch.chdir(tmp_path)
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    config.CourseDirectory.course_id = "warps"
    # Without this line nbgrader puts the teacher's skeleton in the place of what was handed in.
    config.Autograde.exclude_overwriting = {"ex": ["saxpy.cu"]}
    api = NbGraderAPI(config=config)
    assert api.generate_assignment("ex")["success"]
    for student, path in (
        ("ada", exercises.solution_path(NAME)),
        ("bo", exercises.skeleton_path(NAME)),
    ):
        folder = tmp_path / "submitted" / student / "ex"
        folder.mkdir(parents=True)
        for given in (tmp_path / "release" / "ex").iterdir():
            (folder / given.name).write_bytes(given.read_bytes())
        (folder / "saxpy.cu").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        done = api.autograde("ex", student)
        assert done["success"], done
        assert api.generate_feedback("ex", student)["success"]
        assert (tmp_path / "feedback" / student / "ex" / "saxpy.html").is_file()
    with api.gradebook as gradebook:
        scores = {s: gradebook.find_submission("ex", s).score for s in ("ada", "bo")}
    assert scores == {"ada": 10, "bo": 0}

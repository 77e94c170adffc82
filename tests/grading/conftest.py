"""The exercise that the tests of the grader use."""

import pytest
from grading_helpers import write_toy

from warpbook.grading import exercises
from warpbook.grading import grade as grading
from warpbook.launch import source


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A project with one exercise, toy/double."""
    monkeypatch.setattr(source, "KERNELS", write_toy(tmp_path))
    monkeypatch.setattr(grading, "GPU", False)
    exercises.skeletons()
    return tmp_path

"""Fixtures of the emulator's tests."""

import emulator_helpers
import numpy as np
import pytest

line_of, program = emulator_helpers.line_of, emulator_helpers.program


@pytest.fixture
def compiled():
    """Text of a kernel -> what launches it."""
    return program


@pytest.fixture
def rng():
    """Random numbers, the same for each test."""
    return np.random.default_rng(7)

"""Helpers of the emulator's tests: compile a few lines of CUDA C++ and launch them."""

import textwrap

import numpy as np
import pytest

from warpbook import emulator
from warpbook.launch import nvrtc


def program(text, entry="k", options=(), arch="compute_90"):
    """The Program of a kernel given as text."""
    text = textwrap.dedent(text)
    ptx = nvrtc.ptx(text, "test.cu", ("-lineinfo", *options), arch)
    return emulator.compile(ptx, entry, "test.cu", text)


@pytest.fixture
def compiled():
    return program


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def line_of(text, marker):
    """Number of the line that holds marker."""
    return next(n for n, line in enumerate(textwrap.dedent(text).splitlines(), 1) if marker in line)

"""Where kernels run, and what differs there."""

import subprocess
import sys

import pytest

from warpbook.launch.backend import GPU, pick


@pytest.mark.skipif(GPU, reason="says what pick does where there is no GPU")
def test_pick():
    assert pick(gpu=1 << 28, emulated=12) == 12


@pytest.mark.skipif(GPU, reason="says what happens where there is no driver")
def test_without_a_driver_cupy_is_not_even_imported():
    code = "import sys, warpbook.launch.backend; print('cupy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "False\n"

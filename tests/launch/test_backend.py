"""Where kernels run, and what differs there."""

import pytest

from warpbook.launch.backend import GPU, pick


@pytest.mark.skipif(GPU, reason="says what pick does where there is no GPU")
def test_pick():
    assert pick(gpu=1 << 28, emulated=12) == 12

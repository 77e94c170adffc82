"""device without a GPU: it has the sizes of one, and no rate."""

import numpy as np
import pytest

from warpbook.gpu.device import device
from warpbook.launch.backend import GPU


@pytest.mark.skipif(GPU, reason="says what device does where there is no GPU")
def test_device_measures_nothing_and_says_so():
    d = device()
    assert np.isnan([d.copy_gb_per_s, d.fma_tflop_per_s, d.fma_clock_mhz]).all()
    assert "No GPU here" in repr(d) and "no time" in d._repr_html_()
    assert d.sms == 132 and d.compute_capability == (9, 0)

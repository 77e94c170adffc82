"""What the tests of figures share."""

from types import SimpleNamespace

import pytest

from warpbook.display import plots


@pytest.fixture
def gpu(monkeypatch):
    """A device with a bandwidth of 4,000 GB/s and 60 TFLOP/s."""
    fake = SimpleNamespace(copy_gb_per_s=4000.0, fma_tflop_per_s=60.0)
    monkeypatch.setattr(plots, "device", lambda: fake)

"""The rows behind the results page."""

from types import SimpleNamespace

import pandas as pd
import pytest

from warpbook import results

DEVICE = SimpleNamespace(name="NVIDIA H100 80GB HBM3", driver="1", cuda="2", date="2026-01-01")
TABLE = pd.DataFrame({"ms": [1.0, 2.0], "p20_ms": [1.0, 2.0], "p80_ms": [1.0, 2.0]},
                     index=pd.Index(["fast", "slow"], name="contestant"))  # fmt: skip
BOUNDS = {"fast": 0.5, "slow": 0.5}


@pytest.fixture
def rows(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    monkeypatch.setenv(results.RECORDING, str(path))
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    return path


def test_nothing_is_kept_unless_recording(tmp_path, monkeypatch):
    monkeypatch.delenv(results.RECORDING, raising=False)
    results.add(DEVICE, TABLE, "4096", BOUNDS)
    assert not list(tmp_path.iterdir())


def test_rows_travel_to_the_gpus_file(rows):
    results.add(DEVICE, TABLE, 4096, BOUNDS)
    results.add(DEVICE, TABLE, "1000x777", BOUNDS)
    results.merge(results.read(rows), "05_coalescing")
    kept = results.read(results.FOLDER / "nvidia_h100_80gb_hbm3.csv")
    assert [(r["kernel"], r["size"]) for r in kept] == [
        ("fast", "4096"), ("slow", "4096"), ("fast", "1000x777"), ("slow", "1000x777")
    ]  # fmt: skip
    assert kept[0]["bound_ms"] == 0.5 and kept[0]["chapter"] == "05_coalescing"


def test_a_chapter_recorded_again_replaces_its_rows_alone(rows):
    results.add(DEVICE, TABLE, 1, BOUNDS)
    read = results.read(rows)
    results.merge(read, "05_coalescing")
    results.merge(read, "03_measure")
    results.merge(read[:1], "05_coalescing")
    kept = results.read(results.FOLDER / "nvidia_h100_80gb_hbm3.csv")
    assert [(r["chapter"], r["kernel"]) for r in kept] == [
        ("03_measure", "fast"), ("03_measure", "slow"), ("05_coalescing", "fast")
    ]  # fmt: skip

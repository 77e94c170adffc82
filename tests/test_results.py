"""The store of measurements: what a recording collects, and where it goes."""

import pandas as pd
import pytest

from warpbook import results

GPU = "NVIDIA H100 80GB HBM3"
TABLE = pd.DataFrame(
    {"ms": [1.0, 2.0], "p20_ms": [1.0, 2.0], "p80_ms": [1.0, 2.0]},
    index=pd.Index(["fast", "slow"], name="contestant"),
)
BOUNDS = {"fast": 0.5, "slow": 0.5}
STAMP = {"gpu": GPU, "date": "2026-01-01"}


@pytest.fixture
def collected(tmp_path, monkeypatch):
    """While recording: a function that reads what was collected so far."""
    folder = tmp_path / "collected"
    folder.mkdir()
    monkeypatch.setenv(results.RECORDING, str(folder))
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    return lambda: {name: results.read(folder / f"{name}.csv") for name in results.TABLES}


def kept(name):
    return results.read(results.FOLDER / "nvidia_h100_80gb_hbm3" / f"{name}.csv")


def test_nothing_is_kept_unless_recording(tmp_path, monkeypatch):
    monkeypatch.delenv(results.RECORDING, raising=False)
    monkeypatch.chdir(tmp_path)
    results.add(TABLE, "4096", BOUNDS)
    results.add_claim("{x} times", "holds", "2 times", "at least 1")
    results.add_prediction("four", "How many?", "times", 2.0)
    assert not list(tmp_path.iterdir())


def test_rows_travel_to_the_gpus_folder(collected):
    results.add(TABLE, 4096, BOUNDS)
    results.add(TABLE, "1000x777", BOUNDS)
    results.merge(collected(), GPU, "coalescing", STAMP)
    assert [(r["kernel"], r["size"]) for r in kept("measurements")] == [
        ("fast", "4096"),
        ("slow", "4096"),
        ("fast", "1000x777"),
        ("slow", "1000x777"),
    ]
    assert {(r["chapter"], r["bound_ms"]) for r in kept("measurements")} == {("coalescing", 0.5)}
    assert results.read_stamps(GPU) == {"coalescing": STAMP}


def test_rows_from_before_a_column_stay_as_they_are(collected):
    """Files that have no SM clock are read, and keep their rows beside new ones."""
    results.add(TABLE, 4096, BOUNDS)
    results.merge(collected(), GPU, "coalescing", STAMP)
    path = results.folder_of(GPU) / "measurements.csv"
    old = pd.read_csv(path).drop(columns="sm_clock_mhz")
    old.to_csv(path, index=False)
    assert [r["ms"] for r in results.read(path)] == [1, 2]
    new = {"kernel": "fast", "size": "1", "ms": 3.0, "sm_clock_mhz": 1425.0}
    results.merge({"measurements": [new]}, GPU, "measure", STAMP)
    rows = kept("measurements")
    assert [(r["chapter"], r["ms"]) for r in rows] == [
        ("coalescing", 1),
        ("coalescing", 2),
        ("measure", 3),
    ]
    assert [r["sm_clock_mhz"] for r in rows][2] == 1425 and pd.isna(rows[0]["sm_clock_mhz"])


def test_claims_travel_with_their_fields_open_and_filled(collected):
    results.add_claim("{x:.1f} times", "holds", "2.0 times", "at least 1")
    results.merge(collected(), GPU, "coalescing", STAMP)
    assert kept("claims") == [
        {
            "chapter": "coalescing",
            "sentence": "{x:.1f} times",
            "status": "holds",
            "measured": "2.0 times",
            "checked": "at least 1",
        }
    ]
    assert kept("measurements") == []


def test_predictions_travel_and_are_found_by_their_question(collected, monkeypatch):
    results.add_prediction("four", "How many?", "times", 1.125)
    results.merge(collected(), GPU, "coalescing", STAMP)
    assert kept("predictions") == [
        {
            "chapter": "coalescing",
            "key": "four",
            "question": "How many?",
            "unit": "times",
            "value": 1.125,
        }
    ]
    assert results.prediction("four", "How many?") is None, "a recording reads no older one"
    monkeypatch.delenv(results.RECORDING)
    assert results.prediction("four", "How many?") == (GPU, 1.125)
    assert results.prediction("four", "How much?") is None


def test_a_chapter_recorded_again_replaces_its_rows_alone(collected):
    results.add(TABLE, 1, BOUNDS)
    first = collected()
    results.merge(first, GPU, "coalescing", STAMP)
    results.merge(first, GPU, "measure", STAMP)
    again = {**first, "measurements": first["measurements"][:1]}
    results.merge(again, GPU, "coalescing", {**STAMP, "date": "2026-02-02"})
    assert [(r["chapter"], r["kernel"]) for r in kept("measurements")] == [
        ("coalescing", "fast"),
        ("measure", "fast"),
        ("measure", "slow"),
    ]
    dates = {chapter: stamp["date"] for chapter, stamp in results.read_stamps(GPU).items()}
    assert dates == {"coalescing": "2026-02-02", "measure": "2026-01-01"}


def test_a_gpu_that_was_never_recorded_has_nothing(collected):
    assert results.read_stamps("another") == {}
    assert results.read(results.folder_of("another") / "claims.csv") == []

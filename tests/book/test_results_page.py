"""The page 'Results by GPU': every GPU's times and claims, side by side."""

import json

import pytest
from helpers import BOOK, module

STAMP = {"driver": "1.2", "cuda": "12.9", "copy_gb_per_s": 3025, "fma_tflop_per_s": 66.1,
         "date": "2026-01-31"}  # fmt: skip
TIMES = "chapter,kernel,size,ms,p20_ms,p80_ms,gb_per_s,gflop_per_s,bound_ms\n"
CLAIMS = "chapter,sentence,status,measured,checked\n"


@pytest.fixture
def gpus():
    """The extension, as the builder loads it."""
    return module(BOOK / "_ext" / "gpus.py")


def recorded(folder, name, times, claims):
    folder = folder / name.lower()
    folder.mkdir()
    (folder / "stamps.json").write_text(json.dumps({"coalescing": {"gpu": name, **STAMP}}))
    (folder / "measurements.csv").write_text(TIMES + times)
    (folder / "claims.csv").write_text(CLAIMS + claims)


@pytest.fixture
def text(gpus, tmp_path):
    recorded(
        tmp_path,
        "A",
        "coalescing,slow,64,2,1,1,1000,,1\ncoalescing,fast,64,1,1,1,2000,,1\n",
        'coalescing,"{x:.1f} times, a|b",holds,"1.5 times, a|b",at least 1\n',
    )
    recorded(
        tmp_path,
        "B",
        "coalescing,slow,64,4,1,1,,500,\n",
        'coalescing,"{x:.1f} times, a|b",not on this GPU,"0.9 times, a|b",at least 1\n',
    )
    pages = ["05_coalescing", "06_shared_memory", "index"]
    return gpus.markdown(gpus.read(tmp_path), pages, titles={pages[0]: "Coalescing"})


def test_times_stand_side_by_side(text):
    assert "| A | 1.2 | 12.9 | 3,025 | 66.1 | 2026-01-31 |" in text
    assert "| 64 | slow | 2 ms, 1,000 GB/s, 50 % of bound | 4 ms, 500 GFLOP/s |" in text
    assert "| 64 | fast | 1 ms, 2,000 GB/s, 100 % of bound |  |" in text


def test_claims_stand_side_by_side_with_each_gpus_numbers(text):
    assert "| … times, a\\|b | at least 1 | ✓ 1.5 | ✗ 0.9 |" in text


def test_chapters_are_linked_in_the_books_order(text):
    assert "## Chapter 5: Coalescing\n\nFrom {doc}`05_coalescing`." in text
    assert "Chapter 6" not in text


def test_a_plan_for_a_t4_stands_where_the_recording_was_timed(gpus, text, tmp_path):
    assert "T4" not in text
    recorded(tmp_path, "C", "", "")
    stamp = {"gpu": "C", **STAMP, "seconds": 30.2}
    (tmp_path / "c" / "stamps.json").write_text(json.dumps({"coalescing": stamp}))
    (tmp_path / "c" / "races.csv").write_text(
        "chapter,bench,contestant,ms,bytes,flops,needs,held_bytes\ncoalescing,1,slow,200,,,,64\n"
    )
    shown = gpus.markdown(gpus.read(tmp_path), ["05_coalescing", "06_shared_memory"])
    assert "| Chapter | Seconds on C | Minutes on a T4, predicted |" in shown
    # 30.2 s less 12 runs of 0.2 s; one run of 0.2 s at 1/16 of the rate
    assert "| {doc}`05_coalescing` | 30 | 0.5 |" in shown
    assert shown.index("on a T4, predicted") < shown.index("## The GPUs")


def test_where_nothing_was_recorded_the_page_says_so(gpus, tmp_path):
    assert gpus.read(tmp_path) == [] and "No GPU has been measured" in gpus.markdown([])

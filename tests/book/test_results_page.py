"""The page 'Results by GPU': every GPU's times and claims, side by side."""

import json

import pytest
from helpers import BOOK, module

STAMP = {
    "driver": "1.2",
    "cuda": "12.9",
    "copy_gb_per_s": 3025,
    "fma_tflop_per_s": 66.1,
    "date": "2026-01-31",
}
TIMES = "chapter,kernel,size,ms,p20_ms,p80_ms,gb_per_s,gflop_per_s,bound_ms\n"
CLAIMS = "chapter,sentence,status,measured,checked\n"


@pytest.fixture
def gpus():
    """The extension, as the builder loads it."""
    return module(BOOK / "_ext" / "gpus.py")


def recorded(folder, name, times, claims):
    folder = folder / name.lower()
    folder.mkdir()
    (folder / "stamps.json").write_text(
        json.dumps({"coalescing": {"gpu": name, **STAMP}}), encoding="utf-8"
    )
    (folder / "measurements.csv").write_text(TIMES + times, encoding="utf-8")
    (folder / "claims.csv").write_text(CLAIMS + claims, encoding="utf-8")


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
    pages = ["05_coalescing", "07_shared_memory", "index"]
    return gpus.markdown(gpus.read(tmp_path), pages, titles={pages[0]: "Coalescing"})


def test_times_stand_side_by_side(text):
    assert "| A | 1.2 | 12.9 | 3,025 | 66.1 | 2026-01-31 |" in text
    assert "| 64 | slow | 2 ms, 1,000 GB/s, 50 % of bound | 4 ms, 500 GFLOP/s |" in text
    assert "| 64 | fast | 1 ms, 2,000 GB/s, 100 % of bound |  |" in text


def test_claims_stand_side_by_side_with_each_gpus_numbers(text):
    assert "| … times, a\\|b | at least 1 | ✓ 1.5 | ✗ 0.9 |" in text


def test_tables_are_folded_below_what_they_hold(text):
    said = "<summary>1 claim: all 1 hold on A, 0 of 1 hold on B</summary>\n\n| Claim | Checked |"
    assert "<summary>2 times</summary>\n\n| Run | Kernel | A | B |" in text and said in text
    assert text.count("<details>") == text.count("\n\n</details>") == 2


def test_chapters_are_linked_in_the_books_order(text):
    assert "## Chapter 5: Coalescing\n\nFrom {doc}`05_coalescing`." in text
    assert "Chapter 6" not in text


def test_lab_notes_stand_behind_their_chapter(gpus, tmp_path):
    recorded(tmp_path, "A", "lab/coalescing,slow,64,2,1,1,1000,,1\n", "")
    pages = {"lab/05_coalescing", "07_shared_memory", "index", "05_coalescing"}
    slugs = ["coalescing", "lab/coalescing", "shared_memory"]
    assert [slug for _, slug in gpus.chapters(pages)] == slugs
    (tmp_path / "a" / "stamps.json").write_text(
        json.dumps({"lab/coalescing": {"gpu": "A", **STAMP}}), encoding="utf-8"
    )
    text = gpus.markdown(gpus.read(tmp_path), pages)
    assert "## Lab notes of chapter 5\n\nFrom {doc}`lab/05_coalescing`." in text
    assert "## Chapter 5" not in text and "| 64 | slow | 2 ms" in text


def test_where_nothing_was_recorded_the_page_says_so(gpus, tmp_path):
    assert gpus.read(tmp_path) == [] and "No GPU has been measured" in gpus.markdown([])

"""The reference pages: what they name is there, and the chapters lead to them and back."""

import re
import sys

import lengths
import pytest
from helpers import BOOK, module


@pytest.fixture(scope="module")
def reference():
    """The extension, as the builder loads it."""
    sys.path.insert(0, str(BOOK / "_ext"))
    try:
        yield module(BOOK / "_ext" / "reference.py")
    finally:
        sys.path.remove(str(BOOK / "_ext"))


@pytest.fixture(scope="module")
def found(reference):
    return reference.chapters(BOOK)


@pytest.fixture(scope="module")
def pages(reference):
    """The chapters and their lab notes."""
    return reference.pages(BOOK)


def page(name):
    return (BOOK / f"{name}.md").read_text(encoding="utf-8")


def lost(reference, found, text):
    """Links of a text to sections that the chapters do not have."""
    known = {
        c.page: {reference.anchor(heading) for heading in reference.headings(c.text)} for c in found
    }
    return [
        link[0]
        for link in reference.CHAPTER_LINK.finditer(text)
        if link[2] in known and link[3] and link[3][1:] not in known[link[2]]
    ]


PAGES = ["questions", "checklist", "glossary", "bibliography", "map", "how_to_run"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_made_and_its_sections_are_there(reference, pages, name):
    text = reference.PAGES[name](page(name), pages, BOOK)
    assert not re.search(r"^%", text, re.M)
    assert lost(reference, pages, text) == []


# Questions.


def questions():
    """(heading, text) of each entry."""
    parts = re.split(r"^### (.+)\n", page("questions"), flags=re.M)
    return list(
        zip(parts[1::2], (re.split(r"^## ", p, flags=re.M)[0] for p in parts[2::2]), strict=True)
    )


@pytest.mark.parametrize("heading, text", questions(), ids=lambda words: words[:40])
def test_a_question_has_an_answer_and_a_chapter_or_a_claim(reference, found, heading, text):
    assert reference.CLAIM.sub("", text).strip()
    linked = reference.CHAPTER_LINK.search(text) or reference.ADDRESS.search(text)
    assert linked or reference.CLAIM.search(text) or "NVIDIA's documents" in text


@pytest.mark.parametrize("heading, text", questions(), ids=lambda words: words[:40])
def test_a_question_begins_with_the_documents_own_sentence(heading, text):
    assert re.match(r"\n> 「.+」\n", text), "the sentence that a reader of the document remembers"


# What a reader of the documents may look for by its name, where the chapters have another one.
NAMES = """
549-D / float* const / COMPILE_LANGUAGE / include / 99 KB / cudaEventRecord(start, stream)
CUDA-Learn-Notes / gpu-mode / Ada / memoryClockRate / torch.float16 / nv_bfloat162 / nvprof
CUDA Occupancy Calculator / cudaOccupancyMaxActiveBlocksPerMultiprocessor / cmem[0] / checklist.md
2.858 / cudaLaunchKernelEx / cudaOccupancyMaxPotentialClusterSize / --dryrun / empties it
libcudart_static.a / cudaDeviceMapHost / canMapHostMemory / cumulativity / seq_cst / NVLink
concurrentKernels / one context / local memory / cudaStreamCreate / cudaStreamDestroy
cudaMallocHost / cudaFreeHost / cudaStreamSynchronize / cudaStreamWaitEvent / cudaStreamQuery
cudaLaunchHostFunc / cudaMemcpyToSymbol / -arch=sm_70
"""


@pytest.mark.parametrize("name", re.split(r" / |\n", NAMES.strip()))
def test_a_name_of_the_documents_is_on_the_page(name):
    assert name in " ".join(page("questions").split())


def rows(heading):
    """The tables of an entry: their cells without marks, thousands and units."""
    (text,) = (text for head, text in questions() if head.startswith(heading))
    lines = re.findall(r"^\| (.+) \|$", text, re.M)
    return [[cell.strip().strip("*").replace(",", "") for cell in one.split("|")] for one in lines]


def test_the_puzzles_times_are_scaled_by_cublas():
    """By the two cuBLAS times, to the printed digits; 'about 300' is taken as 300."""
    scale, seen = 29.61 / 2.725, 0
    for name, ours, scaled, printed, ratio in rows("Why are blocks of 16")[1:]:
        assert round(float(ours) * scale) == int(scaled), name
        if printed[-1].isdigit():
            there = float(re.search(r"[\d.]+$", printed)[0])
            assert round(float(ours) * scale / there, 2) == float(ratio), name
            seen += 1
    assert seen == 4


def test_the_device_query_overflows_where_the_page_says_so():
    for name, clock, bits, printed, true in rows("The device query")[1:]:
        product = 2 * int(clock) * (int(bits) // 8)
        assert int(product % 2**32 / 1e6) == int(printed), name
        assert int(product / 1e6) == int(true), name


def test_every_claim_of_the_questions_is_in_the_results_and_on_its_page(reference, pages):
    """By its first words; 'claim' raises if no claim begins with them, or more than one does.

    A chapter that has not been recorded has no results; then its page is enough.
    """
    gpu = reference.gpus.read(BOOK / "results")
    code, model = {c.slug: flat(c.code) for c in pages}, {c.slug: c.gpu for c in pages}
    for slug, words in reference.CLAIM.findall(page("questions")):
        reference.claim(gpu, slug, words, model[slug])
        assert words in code[slug], f"no cell of {slug} says: {words}"


def flat(code):
    """Code in which a string on several lines is one string."""
    return re.sub(r'"\s*\n\s*f?"', "", code)


# The checklist.


def test_every_line_of_the_checklist_has_a_claim_and_its_chapter(reference, pages):
    """And no other number that somebody measured: the claims bring them."""
    gpu = reference.gpus.read(BOOK / "results")
    code, model = {c.slug: flat(c.code) for c in pages}, {c.slug: c.gpu for c in pages}
    lines = [line for line in page("checklist").splitlines() if line.startswith("| ")]
    lines = [line for line in lines if not line.startswith(("| Technique", "| ---", "| **"))]
    assert lines
    for line in lines:
        ((slug, words),) = reference.CLAIMED.findall(line)
        row, _ = reference.claim(gpu, slug, words, model[slug])
        assert row is None or row.status == "holds", words
        assert words in code[slug], f"no cell of {slug} says: {words}"
        assert line.endswith(
            f"| [`{slug}`]({next(c.page for c in pages if c.slug == slug)}.ipynb) |"
        )
        assert not re.search(r"\d %|\d times|\d ms", reference.CLAIMED.sub("", line))


# The glossary.


def entries(reference):
    """{anchor: heading} of the glossary's entries."""
    return {
        reference.anchor(head): head for head in re.findall(r"^### (.+)$", page("glossary"), re.M)
    }


def test_every_entry_is_linked_from_a_page_or_leads_to_one(reference, pages):
    """A word that other texts use may name the section of what the chapters call otherwise."""
    linked = {term for chapter in pages for term in chapter.terms}
    text = page("glossary")
    left = [
        head
        for term, head in entries(reference).items()
        if term not in linked and not reference.CHAPTER_LINK.search(entry(text, head))
    ]
    assert left == [], "link the word where a chapter explains it: [word](glossary.md#entry)"


def test_the_fields_words_are_in_the_glossary(reference):
    words = {
        "In flight", "Latency", "Synchronise", "Producer", "Consumer", "Warp specialisation",
        "Ping-pong", "Epilogue", "Wave quantisation", "Software pipelining", "Thread coarsening",
        "Privatisation", "Work-efficient", "Kogge-Stone", "Brent-Kung",
    }  # fmt: skip
    assert words <= set(entries(reference).values())
    assert "persistent kernel" in entry(page("glossary"), "Persistent blocks")
    assert "（合并访存）" in entry(page("glossary"), "Coalescing")


@pytest.mark.parametrize(
    "word, head",
    [
        ("CTA", "Block"), ("TMA", "Bulk copy"), ("CUDA core", "Lane"), ("prefix sum", "Scan"),
        ("unified memory", "Managed memory"), ("page-locked", "Pinned memory"), ("HBM", "DRAM"),
        ("device memory", "Global memory"), ("SoA", "Array of structures"), ("BLAS", "GEMM"),
        ("streaming multiprocessor", "SM"), ("sectors", "Transaction"),
    ],
)  # fmt: skip
def test_a_word_of_other_texts_is_found_in_the_entry_of_ours(word, head):
    """Who searches the glossary for what another book says finds this book's word."""
    text = page("glossary")
    assert word.lower() in " ".join(entry(text, head).lower().split())


def test_every_link_to_the_glossary_leads_to_an_entry(reference, pages):
    known = entries(reference)
    astray = [(c.page, term) for c in pages for term in c.terms if term not in known]
    for path in BOOK.glob("*.md"):
        terms = reference.TERM.findall(path.read_text(encoding="utf-8"))
        astray += [(path.name, term) for term in terms if term not in known]
    assert astray == []


def test_the_chapters_that_entries_name_are_there(reference):
    pages = re.findall(r"\]\((\w+)\.ipynb", page("glossary"))
    assert [name for name in pages if not (BOOK / f"{name}.ipynb").is_file()] == [] != pages


def test_the_glossary_is_sorted_and_leads_back(reference, pages):
    heads = re.findall(r"^### (.+)$", page("glossary"), re.M)
    assert heads == sorted(heads, key=str.lower) and len(set(map(str.lower, heads))) == len(heads)
    letters = re.findall(r"^## (.+)$", page("glossary"), re.M)
    assert letters == sorted({head[0].upper() for head in heads})
    text = reference.glossary(page("glossary"), pages, BOOK)
    without = [head for head in heads if "*See [" not in entry(text, head)]
    assert without == []


def entry(text, head):
    return text.partition(f"### {head}\n")[2].partition("\n#")[0]


# The bibliography.


def test_every_address_of_further_reading_is_in_the_bibliography(reference, pages):
    text = page("bibliography")
    new = {
        (chapter.page, address)
        for chapter in pages
        for item in chapter.reading
        for address in reference.ADDRESS.findall(item)
        if address.rstrip("/") not in text
    }
    assert new == set(), "add what it is good for to bibliography.md"


def test_every_title_of_further_reading_is_in_the_bibliography_once(reference, pages):
    items = reference.works(page("bibliography"))
    wrong = {
        (chapter.page, title): len(reference.matching(title, items))
        for chapter in pages
        for title in reference.cited(chapter)
        if len(reference.matching(title, items)) != 1 and not title[:1].islower()
    }
    assert wrong == {}, "each work has one item in bibliography.md, with its title in *italics*"


def test_every_work_is_cited(reference, pages):
    items = reference.works(page("bibliography"))
    cited = {
        i for c in pages for title in reference.cited(c) for i in reference.matching(title, items)
    }
    assert [item[:70] for item in items if item not in cited] == []


# The map.


def test_every_chapter_says_its_times_and_what_comes_before(found):
    for chapter in found:
        reading, exercises, _ = chapter.front
        needed, helping = chapter.before
        assert reading > 0 and exercises > 0
        assert all(n < chapter.number for n in needed), f"{chapter.page} builds on a later chapter"
        assert bool(needed) == (chapter.number > 1)
        assert not set(needed) & set(helping)


@pytest.mark.parametrize("slugs", re.findall(r"^% path: (.+)$", page("map"), re.M))
def test_a_path_leaves_out_nothing_that_it_needs(reference, found, slugs):
    assert reference.lacking(slugs.split(), found) == {}


def test_the_hours_of_the_paths_are_computed_from_the_pages(reference, found):
    """By tools/lengths.py, from what there is to read; `... minutes --write` mends the pages."""
    table, made = lengths.paths(), reference.chart(page("map"), found, BOOK)
    assert list(table.minutes) == list(table.says) and len(table) == page("map").count("% path: ")
    for way, minutes in table.minutes.items():
        part = made.partition(f"\n## {way}\n")[2].partition("\n## ")[0]
        assert f"**{reference.hours(minutes)} of reading, and " in part, way


def test_a_chapters_way_stays_when_it_is_pointed_at(reference, found):
    rules, svg = reference.chains(found), reference.drawing(found)
    for chapter in found:
        assert svg.count(f'class="c{chapter.number}"') == 1
        assert f":has(.c{chapter.number}:hover)" in rules
        assert f":has(.c{chapter.number}:focus-visible)" in rules
        for other in reference.direct(chapter, found):
            assert svg.count(f'from{other} to{chapter.number}"') == 2  # a line, and its margin


def test_the_map_has_a_box_for_every_chapter_below_what_it_needs(reference, found):
    at = reference.places(found)
    assert len(set(at.values())) == len(at) == len(found)
    for chapter in found:
        assert all(at[n][1] < at[chapter.number][1] for n in chapter.before[0] if n in at)
    svg = reference.drawing(found)
    assert all(f'href="{c.page}.html"' in svg for c in found)
    lines = sum(len(reference.direct(c, found)) for c in found)
    assert svg.count('<path d="M') == lines


# How to run it.


def test_the_table_of_gpus_names_every_architecture_of_the_headers(reference, found):
    table = reference.capabilities(found, BOOK.parent)
    assert "25. Hopper" in table and "| [1. First kernel" not in table
    assert not re.search(r": sm_\d", table), "say in GPUS of reference.py which GPUs these are"


# Lab notes.

NOTED = """\
# Lab notes: coalescing

They prove [chapter `coalescing`](../05_coalescing.ipynb).

## Is it [the sector](../glossary.md#sector)?

A question and 5 sectors.

## Further reading

- *Programming Massively Parallel Processors*, chapter 6.
"""


@pytest.fixture
def noted(reference, found):
    """The chapters and, behind coalescing, its lab notes."""
    notes = reference.Chapter("lab/05_coalescing", (NOTED,), "", "")
    return sorted([*found, notes], key=lambda c: (c.number, c.is_lab))


def test_lab_notes_are_read_behind_their_chapter(reference, tmp_path):
    for name in ("05_a", "06_b", "lab/06_b"):
        path = tmp_path / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"cells": [], "metadata": {}}', encoding="utf-8")
    read = [(c.page, c.slug, c.short) for c in reference.pages(tmp_path)]
    assert read == [("05_a", "a", "5"), ("06_b", "b", "6"), ("lab/06_b", "lab/b", "6, lab notes")]
    assert [c.page for c in reference.chapters(tmp_path)] == ["05_a", "06_b"]


def test_the_reference_pages_lead_to_lab_notes(reference, noted):
    text = reference.glossary("### Sector\n\nIt is 32 bytes.\n", noted, BOOK)
    where = "[chapter 5, lab notes, Is it the sector?](lab/05_coalescing.ipynb#is-it-the-sector)"
    assert where in text
    text = reference.questions("% claim lab/coalescing: In {same} launches of\n", noted, BOOK)
    assert "[chapter 5, lab notes](lab/05_coalescing.ipynb)" in text
    chart = reference.chart("% the map comes here % all chapters come here", noted, BOOK)
    assert "05_coalescing.html" in chart and "lab/" not in chart


def test_a_link_into_lab_notes_has_its_section(reference, noted):
    text = "[a](lab/05_coalescing.ipynb#is-it-the-sector) [b](lab/05_coalescing.ipynb#why)"
    assert lost(reference, noted, text) == ["[b](lab/05_coalescing.ipynb#why)"]
    assert reference.without_lost_links("[b](lab/38_streams.ipynb#x)", set()) == "b"


# Planted faults.


def test_a_link_to_no_section_is_found(reference, found):
    text = "[a](05_coalescing.ipynb#step-2-what-a-stride-costs) [b](05_coalescing.ipynb#step-99)"
    assert lost(reference, found, text) == ["[b](05_coalescing.ipynb#step-99)"]


@pytest.mark.parametrize("words, said", [("A", "claims of coalescing"), ("No such", "0 claims")])
def test_a_claim_that_is_not_there_is_found(reference, found, words, said):
    with pytest.raises(ValueError, match=said):
        reference.questions(f"% claim coalescing: {words}\n", found, BOOK)


def test_a_path_with_a_gap_is_found(reference, found):
    assert reference.lacking(["first_kernel", "coalescing"], found) == {"coalescing": [3]}


def test_a_link_to_a_page_that_an_edition_lacks_becomes_text(reference):
    text = "[a](teaching.md) [b](38_streams.ipynb#x) [c](01_first_kernel.ipynb)"
    kept = reference.without_lost_links(text, {"01_first_kernel"})
    assert kept == "a b [c](01_first_kernel.ipynb)"


def test_a_title_that_no_work_has_is_found(reference):
    items = reference.works("- A. Author, [One Work](https://x.y): good.\n- *Two*: better.\n")
    assert [len(reference.matching(t, items)) for t in ("One work", "Two", "Three", "one")] == [
        1,
        1,
        0,
        0,
    ]

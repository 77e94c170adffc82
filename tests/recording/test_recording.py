"""Executing notebooks, and what record keeps and refuses."""

import time
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warpbook import results
from warpbook.launch.backend import GPU
from warpbook.recording import chapters, stamps


def notebook(*cells):
    return new_notebook(cells=[new_markdown_cell("# Title"), *map(new_code_cell, cells)])


def saved(folder, *cells):
    path = folder / "01_demo.ipynb"
    folder.mkdir(exist_ok=True)
    chapters.write(notebook(*cells), path)
    return path


def outputs(run):
    code = (c for c in run.notebook.cells if c.cell_type == "code")
    return [o.get("text", "") for c in code for o in c.outputs]


def test_execute_runs_top_to_bottom_without_a_gpu(tmp_path):
    path = saved(tmp_path, "from warpbook.launch.backend import GPU\nx = 1", "print(x + 1, GPU)")
    run = chapters.execute(path, emulated=True)
    assert outputs(run) == ["2 False\n"] and run.measurements == run.claims == []
    assert 0 < run.seconds < 60


def test_execute_names_the_notebook_and_the_fault(tmp_path):
    path = saved(tmp_path, "1 / 0")
    with pytest.raises(RuntimeError, match="(?s)01_demo.ipynb was not saved.*ZeroDivisionError"):
        chapters.execute(path, emulated=True)


def test_a_cell_tagged_raises_exception_may_fail(tmp_path):
    cell = new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]})
    path = tmp_path / "01_demo.ipynb"
    chapters.write(new_notebook(cells=[cell, new_code_cell("print(2)")]), path)
    run = chapters.execute(path, emulated=True)
    assert "2\n" in outputs(run)
    assert run.notebook.cells[0].outputs[0].traceback == ["ZeroDivisionError: division by zero"]


def test_gpu_cells_say_that_they_were_skipped(tmp_path):
    path = saved(tmp_path, "from warpbook import cp", "%%gpu\nprint('on a GPU')")
    assert outputs(chapters.execute(path, emulated=True)) == [
        "This cell needs a GPU: not run here.\n"
    ]


def test_a_false_counter_claim_fails_the_chapter(tmp_path):
    path = saved(tmp_path, "from warpbook import claim\nclaim('{n} sectors', 'n <= 2', n=3)")
    with pytest.raises(RuntimeError, match="does not hold: 3 sectors"):
        chapters.execute(path, emulated=True)


def test_execute_sees_the_files_and_modules_that_a_page_uses(tmp_path):
    code = [
        "from warpbook import committed_counters, load, show, start",
        "copy = load('peaks/01_copy')\ncommitted_counters('coalescing').shape",
        "start('coalescing/align')",
    ]
    run = chapters.execute(saved(tmp_path, *code), emulated=True)
    opened = {stamps._name(path) for path in run.opened}
    assert "kernels/peaks/01_copy.cu" in opened
    assert any(name.startswith("book/results/") for name in opened)
    assert not any("exercises" in name for name in opened), "exercises are shown, not measured"
    assert {"warpbook.launch.kernel", "warpbook.measure.profiler"} <= run.imported
    assert "warpbook.measure.bench" not in run.imported


def test_what_a_cell_takes_is_kept(tmp_path):
    run = chapters.execute(saved(tmp_path, "import time\ntime.sleep(0.5)", "1"), emulated=True)
    slow, fast = (c.id for c in run.notebook.cells if c.cell_type == "code")
    assert run.cell_seconds[slow] > 0.4 > run.cell_seconds[fast] > 0 and not run.machine


def test_two_chapters_run_at_once_in_two_threads(tmp_path):
    pages = [saved(tmp_path / name, f"print('{name}')") for name in ("one", "two")]
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda page: chapters.execute(page, emulated=True), pages))
    assert [outputs(run) for run in runs] == [["one\n"], ["two\n"]]


def test_what_a_page_ran_on_is_what_its_own_process_says(tmp_path, monkeypatch):
    """On a machine that this test says has a GPU: the page's process has none."""
    monkeypatch.setattr(chapters, "GPU", True)
    monkeypatch.setenv("WARPBOOK_EMULATE", "1")
    machine = "from warpbook.recording import stamps\nstamps.machine = lambda: {'gpu': 'a GPU'}"
    shown = "import os\nprint(os.environ.get('CUDA_VISIBLE_DEVICES'))"
    process = chapters._Process(saved(tmp_path, machine, shown), visible="3")
    try:
        run = process.run()
    finally:
        process.close()
    assert run.machine == {"gpu": "a GPU"} and outputs(run)[-1] == "3\n"
    assert len(run.notebook.cells) == 3 and len(run.cell_seconds) == 2


def test_a_process_that_was_never_told_to_run_ends(tmp_path):
    process = chapters._Process(saved(tmp_path, "1"), emulated=True)
    kernel = process.client.km.provisioner.process
    assert kernel.poll() is None
    process.close()
    assert kernel.poll() is not None and not process.folder.exists()


# --- record, on a machine that this test says has GPUs ---------------------------------------


class Book:
    """A book of three chapters on a machine with GPUs called 'a GPU', and what is done there."""

    def __init__(self, folder):
        self.results, self.done, self.running, self.most = folder / "results", [], set(), 0
        self.claims = [{"sentence": "{x} is 1", "status": "holds", "measured": "1 is 1"}]
        self.takes, self.clock, self.broken = {}, 0.0, set()
        (folder / "book").mkdir()
        for name in ("01_demo", "02_more", "03_last"):
            chapters.write(notebook(f"x = '{name}'"), folder / "book" / f"{name}.ipynb")
        self.pages = sorted((folder / "book").glob("*.ipynb"))

    def page(self, number):
        return nbformat.read(self.pages[number], 4)

    def say(self, number, **metadata):
        """Write something into a page's metadata."""
        page = self.page(number)
        page.metadata.setdefault(chapters.KEY, {}).update(metadata)
        chapters.write(page, self.pages[number])

    def recorded(self):
        """What was run since the last time, in order."""
        done, self.done = [name for what, name, _ in self.done if what == "run"], []
        return done


@pytest.fixture
def book(tmp_path, monkeypatch):
    book = Book(tmp_path)

    class Process:
        """Runs nothing, and says what is asked of it."""

        def __init__(self, path, visible=None):
            self.path, self.visible = path, visible
            book.done.append(("begin", path.stem, visible))

        def run(self):
            if self.path.stem in book.broken:
                raise RuntimeError(f"{self.path.name} was not saved: a cell failed.")
            book.done.append(("run", self.path.stem, self.visible))
            book.running.add(self.path)
            book.most = max(book.most, len(book.running))
            if self.visible:
                time.sleep(0.2)
            took = book.takes.get(self.path.stem, 12.34)
            book.clock += took
            return chapters.Run(
                nbformat.read(self.path, 4),
                [{"kernel": "k", "size": "64", "ms": 1.5}],
                book.claims,
                set(),
                {"warpbook.x"},
                seconds=took,
                cell_seconds={"a": took, "b": 0.001},
                machine={"gpu": "a GPU", "date": "2026-01-31"},
            )

        def close(self):
            book.running.discard(self.path)
            book.done.append(("close", self.path.stem, self.visible))

    monkeypatch.setattr(chapters, "GPU", True)
    monkeypatch.setattr(chapters, "_models", lambda: ["a GPU", "a GPU", "another"])
    monkeypatch.setattr(chapters, "_Process", Process)
    monkeypatch.setattr(chapters, "chapters", lambda: book.pages)
    monkeypatch.setattr(chapters, "_now", lambda: book.clock)
    monkeypatch.setattr(results, "FOLDER", book.results)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return book


def test_record_saves_the_page_and_its_results_by_slug(book):
    chapters.record(["demo"])
    assert book.recorded() == ["01_demo"]
    mark = results.read_stamps("a GPU")["demo"]
    assert mark["gpu"] == "a GPU" and book.page(0).metadata[chapters.KEY] == {"gpu": "a GPU"}
    assert results.read(book.results / "a_gpu" / "measurements.csv")[0]["chapter"] == "demo"
    assert results.read(book.results / "a_gpu" / "claims.csv")[0]["measured"] == "1 is 1"
    assert mark["seconds"] == 12.3 and mark["cell_seconds"] == {"a": 12.3}
    assert chapters.changed(book.pages[0]) == []
    assert chapters.changed(book.pages[1]) == [chapters.NEVER]


@pytest.fixture
def noted(book):
    """The book, of which the chapters demo and last have lab notes."""
    folder = book.pages[0].parent / chapters.LAB
    folder.mkdir()
    for chapter in (book.pages[0], book.pages[2]):
        chapters.write(notebook("x = 'notes'"), folder / chapter.name)
    return book


def test_lab_notes_are_pages_of_their_own_behind_their_chapter(noted):
    names = ["01_demo", "lab/01_demo", "02_more", "03_last", "lab/03_last"]
    assert [chapters.name(path) for path in chapters.pages()] == names
    slugs = ["demo", "lab/demo", "more", "last", "lab/last"]
    assert [chapters.slug(path) for path in chapters.pages()] == slugs
    assert chapters.slug("lab/05_a_b.ipynb") == "lab/a_b" and chapters.slug("05_a_b") == "a_b"


@pytest.mark.parametrize(
    "given, found",
    [
        (["demo"], ["01_demo"]),
        (["01_demo"], ["01_demo"]),
        (["lab/demo"], ["lab/01_demo"]),
        (["lab/01_demo", "02"], ["lab/01_demo", "02_more"]),
        (["01"], ["01_demo", "lab/01_demo"]),
        ([], ["01_demo", "lab/01_demo", "02_more", "03_last", "lab/03_last"]),
    ],
)
def test_a_page_is_chosen_by_its_name_and_both_by_their_number(noted, given, found):
    assert [chapters.name(path) for path in chapters.chosen(given)] == found


def test_a_page_that_is_not_there_is_told_those_that_are(noted):
    with pytest.raises(LookupError, match="no page 'lab/more'. There are: 01_demo, lab/01_demo,"):
        chapters.chosen(["lab/more"])


def test_what_lab_notes_measure_meets_nothing_of_their_chapter(noted, capsys):
    chapters.record(["01"])
    assert "01_demo: 12 s\nlab/01_demo: 12 s\n" in capsys.readouterr().out
    chapters.record(["lab/demo"])
    assert noted.recorded() == ["01_demo", "01_demo", "01_demo"]
    assert set(results.read_stamps("a GPU")) == {"demo", "lab/demo"}
    for table in ("measurements", "claims"):
        rows = results.read(noted.results / "a_gpu" / f"{table}.csv")
        assert [row["chapter"] for row in rows] == ["demo", "lab/demo"]
    assert chapters.stale() == {n: [chapters.NEVER] for n in ("more", "last", "lab/last")}
    page = nbformat.read(chapters.notes(noted.pages[0]), 4)
    page.cells[1].source = "x = 2"
    chapters.write(page, chapters.notes(noted.pages[0]))
    assert chapters.stale()["lab/demo"] == [stamps.CODE] and "demo" not in chapters.stale()
    chapters.record()
    assert noted.recorded() == ["01_demo", "02_more", "03_last", "03_last"]
    assert chapters.stale() == {}


def test_a_claim_that_fails_in_lab_notes_says_where(noted):
    noted.claims += [{"sentence": "{x} is 2", "status": "not on this GPU", "measured": "1 is 2"}]
    with pytest.raises(RuntimeError, match="(?s)^lab/01_demo.ipynb was not saved.*1 is 2"):
        chapters.record(["lab/demo"])


def test_record_refuses_a_page_whose_claim_does_not_hold(book):
    book.claims += [{"sentence": "{x} is 2", "status": "not on this GPU", "measured": "1 is 2"}]
    before = book.pages[0].read_text(encoding="utf-8")
    with pytest.raises(RuntimeError, match="(?s)01_demo.ipynb was not saved.*1 is 2"):
        chapters.record()
    assert book.pages[0].read_text(encoding="utf-8") == before and not book.results.exists()


def test_a_page_that_fails_keeps_no_other_from_being_saved(book):
    book.broken.add("02_more")
    with pytest.raises(RuntimeError, match="02_more.ipynb was not saved"):
        chapters.record()
    assert book.recorded() == ["01_demo", "03_last"]
    assert list(results.read_stamps("a GPU")) == ["demo", "last"]


def test_results_of_a_further_gpu_keep_a_claim_that_does_not_hold(book, capsys):
    book.claims += [{"sentence": "{x} is 2", "status": "not on this GPU", "measured": "1 is 2"}]
    before = book.pages[0].read_text(encoding="utf-8")
    chapters.record(results_only=True)
    kept = results.read(book.results / "a_gpu" / "claims.csv")
    assert [row["status"] for row in kept] == ["holds", "not on this GPU"] * 3
    assert (
        book.pages[0].read_text(encoding="utf-8") == before and "1 is 2" in capsys.readouterr()[0]
    )


def test_results_alone_are_not_for_the_gpu_that_the_pages_show(book):
    """Else the page and the results would come from two runs."""
    book.say(1, gpu="a GPU")
    with pytest.raises(RuntimeError, match="the pages show the a GPU"):
        chapters.record(results_only=True)


def test_a_fresh_page_is_not_recorded_again_unless_it_is_named(book):
    chapters.record()
    assert book.recorded() == ["01_demo", "02_more", "03_last"]
    chapters.record()
    assert book.recorded() == []
    page = book.page(1)
    page.cells[1].source = "x = 3"
    chapters.write(page, book.pages[1])
    chapters.record()
    assert book.recorded() == ["02_more"]
    chapters.record(["03"])
    assert book.recorded() == ["03_last"]
    chapters.record(fresh_too=True)
    assert book.recorded() == ["01_demo", "02_more", "03_last"]


def test_a_page_that_shows_another_gpu_is_recorded(book):
    chapters.record()
    book.say(0, gpu="another")
    book.recorded()
    chapters.record()
    assert book.recorded() == ["01_demo"]


def test_no_page_is_begun_that_would_end_too_late_and_the_same_command_goes_on(book):
    book.takes = {"01_demo": 100.0, "02_more": 80.0, "03_last": 15.0}
    chapters.record(fresh_too=True)
    book.recorded()
    for page in (0, 1, 2):
        book.say(page, gpu="another")
    assert chapters.record(seconds=120) == ["02_more"]
    assert book.recorded() == ["01_demo", "03_last"]
    assert chapters.record(seconds=120) == [] and book.recorded() == ["02_more"]


def test_a_page_that_took_longer_than_expected_leaves_no_time_for_the_next(book):
    """Its process has been started by then, and is ended."""
    book.takes = {"01_demo": 100.0}
    assert chapters.record(seconds=140) == ["03_last", "02_more"]
    assert book.recorded() == ["01_demo"] and book.running == set()


def test_a_process_starts_while_the_one_before_runs(book):
    chapters.record()
    at = {(what, name): place for place, (what, name, _) in enumerate(book.done)}
    assert at["begin", "02_more"] < at["run", "01_demo"] < at["close", "01_demo"]
    assert at["close", "01_demo"] < at["run", "02_more"]


def test_two_gpus_record_two_pages_at_a_time(book):
    chapters.record(gpus=2)
    assert book.most == 2 and {gpu for what, _, gpu in book.done if what == "run"} == {"0", "1"}
    assert sorted(book.recorded()) == ["01_demo", "02_more", "03_last"]
    assert sorted(results.read_stamps("a GPU")) == ["demo", "last", "more"]


def test_of_the_gpus_that_this_process_may_use_each_page_sees_one(book, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    chapters.record(gpus=2)
    assert {gpu for what, _, gpu in book.done if what == "run"} == {"3", "5"}


def test_a_page_that_times_the_host_runs_last_and_alone_and_sees_all_gpus(book):
    book.say(0, alone=True)
    chapters.record(gpus=2)
    last = [(what, gpu) for what, name, gpu in book.done if name == "01_demo"]
    assert last == [("begin", None), ("run", None), ("close", None)] and book.done[-3:] == [
        (what, "01_demo", None) for what in ("begin", "run", "close")
    ]
    assert book.page(0).metadata[chapters.KEY] == {"alone": True, "gpu": "a GPU"}


@pytest.mark.parametrize("count", [3, 4])
def test_pages_that_run_at_once_need_gpus_of_one_model(book, count):
    with pytest.raises(RuntimeError, match=f"--gpus {count} needs as many GPUs of one model"):
        chapters.record(gpus=count)


# --- what a page is told to say ---------------------------------------------------------------


@pytest.mark.parametrize(
    "what, said",
    [
        (["its code"], "recorded before its code changed"),
        (["its code", "a.cu"], "recorded before its code and a.cu changed"),
        (["a", "b", "c"], "recorded before a, b and c changed"),
        (["a", "b", "c", "d"], "recorded before a, b, c and 1 more file changed"),
        (["a", "b", "c", "d", "e"], "recorded before a, b, c and 2 more files changed"),
        ([chapters.NEVER], "never recorded"),
    ],
)
def test_what_has_changed_in_words(what, said):
    assert chapters.since(what) == said


def test_a_release_names_its_stale_pages():
    text = "# Log\n\n## Now\n\nText.\n\nStale pages: measure, matmul_tiles,\ncaches.\n\nMore.\n"
    assert chapters.released(text) == {"measure", "matmul_tiles", "caches"}
    assert chapters.released("# Log\n\n## Now\n\n## Before\n\nStale pages: measure\n") == set()
    assert chapters.released("") == set()
    assert chapters.released("## Now\n\nStale pages: lab/measure.\n") == {"lab/measure"}


@pytest.mark.skipif(GPU, reason="says what record does where there is no GPU")
def test_record_needs_a_gpu():
    with pytest.raises(RuntimeError, match="needs a GPU"):
        chapters.record()


def test_unknown_chapter_lists_those_there_are():
    with pytest.raises(LookupError, match="no page '99'. There are: .*05_coalescing"):
        chapters.chosen(["99"])


@pytest.mark.parametrize("name", ["05", "05_coalescing", "coalescing"])
def test_a_chapter_has_three_names(name):
    assert chapters.name(chapters.chosen([name])[0]) == "05_coalescing"


# --- the set-up cell and the repository's address ---------------------------------------------


def test_setup_cell_fetches_the_package_only_where_the_address_is_set(monkeypatch):
    monkeypatch.setattr(chapters, "address", lambda: None)
    assert "pip" not in chapters.setup_cell()
    monkeypatch.setattr(chapters, "address", lambda: "https://example.org/book")
    assert '%pip install -q "git+https://example.org/book"' in chapters.setup_cell()


def test_the_set_up_cell_is_written_without_a_recording(tmp_path, monkeypatch):
    path = tmp_path / "01_demo.ipynb"
    page = notebook("old", "x = 1")
    page.cells[1].metadata["tags"] = ["setup"]
    chapters.write(page, path)
    monkeypatch.setattr(chapters, "chapters", lambda: [path])
    before = stamps.code_hash(page)
    assert chapters.write_setup_cells() == [path] and chapters.write_setup_cells() == []
    written = nbformat.read(path, 4)
    assert written.cells[1].source == chapters.setup_cell()
    assert stamps.code_hash(written) == before


def test_a_picture_above_the_set_up_fetches_the_package_and_makes_no_page_stale(monkeypatch):
    setup = new_code_cell("old", metadata={"tags": ["setup"]})
    page = new_notebook(cells=[new_code_cell("from warpbook import explore"), setup])
    before = stamps.code_hash(page)
    for place in ("https://example.org/book", "https://example.org/fork"):
        monkeypatch.setattr(chapters, "address", lambda place=place: place)
        chapters.set_up(page)
        assert page.cells[0].source == f"{chapters.fetch()}from warpbook import explore"
        assert place in chapters.fetch() and page.cells[1].source == chapters.SETUP
        assert stamps.code_hash(page) == before
    monkeypatch.setattr(chapters, "address", lambda: None)
    chapters.set_up(page)
    assert page.cells[0].source == f"{chapters.NO_ADDRESS}from warpbook import explore"
    assert stamps.code_hash(page) == before


@pytest.mark.parametrize(
    "config, want",
    [
        ("title: x\n", None),
        ('repository:\n  url: ""\n  branch: main\n', None),
        ("repository:\n  # url: https://example.org/no\nparse:\n  url: wrong\n", None),
        (
            "repository:\n  url: https://example.org/book\n  branch: main\n",
            "https://example.org/book",
        ),
    ],
)
def test_address_has_one_place(tmp_path, monkeypatch, config, want):
    (tmp_path / "_config.yml").write_text(config, encoding="utf-8")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    assert chapters.address() == want


def test_write_is_stable(tmp_path):
    path = saved(tmp_path, "1")
    first = path.read_text(encoding="utf-8")
    chapters.write(nbformat.read(path, as_version=4), path)
    assert path.read_text(encoding="utf-8") == first and not list(tmp_path.glob("*.part"))

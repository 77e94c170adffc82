"""Executing notebooks, and what record keeps and refuses."""

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
    chapters.write(notebook(*cells), path)
    return path


def outputs(run):
    code = (c for c in run.notebook.cells if c.cell_type == "code")
    return [o.get("text", "") for c in code for o in c.outputs]


def test_execute_runs_top_to_bottom_without_a_gpu(tmp_path):
    path = saved(tmp_path, "from warpbook.launch.backend import GPU\nx = 1", "print(x + 1, GPU)")
    run = chapters.execute(path, emulated=True)
    assert outputs(run) == ["2 False\n"] and run.measurements == run.claims == run.races == []
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
    code = ["from warpbook import committed_counters, load, show, start",
            "copy = load('peaks/01_copy')\ncommitted_counters('coalescing').shape",
            "start('coalescing/align')"]  # fmt: skip
    run = chapters.execute(saved(tmp_path, *code), emulated=True)
    opened = {stamps._name(path) for path in run.opened}
    assert "kernels/peaks/01_copy.cu" in opened
    assert any(name.startswith("book/results/") for name in opened)
    assert not any("exercises" in name for name in opened), "exercises are shown, not measured"
    assert {"warpbook.launch.kernel", "warpbook.measure.profiler"} <= run.imported
    assert "warpbook.measure.bench" not in run.imported


# --- record, on a machine that this test says has a GPU --------------------------------------


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A book of one chapter on a GPU called 'a GPU', and a function that sets what a run claims."""
    (tmp_path / "book").mkdir()
    path = saved(tmp_path / "book", "x = 1")
    claims = [{"sentence": "{x} is 1", "status": "holds", "measured": "1 is 1"}]
    rows = [{"kernel": "k", "size": "64", "ms": 1.5}]
    races = [{"bench": 1, "contestant": "k", "ms": 1.5, "needs": "sm_80"}]
    monkeypatch.setattr(chapters, "GPU", True)
    monkeypatch.setattr(chapters, "chapters", lambda: [path])
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    monkeypatch.setattr(stamps, "machine", lambda: {"gpu": "a GPU", "date": "2026-01-31"})
    monkeypatch.setattr(
        chapters,
        "execute",
        lambda path: chapters.Run(
            nbformat.read(path, 4), rows, claims, set(), {"warpbook.x"}, races=races, seconds=12.34
        ),
    )
    return path, claims, tmp_path / "results" / "a_gpu"


def test_record_saves_the_page_and_its_results_by_slug(fake):
    path, _, folder = fake
    chapters.record(["demo"])
    mark = nbformat.read(path, 4).metadata[chapters.STAMP]
    assert mark["gpu"] == "a GPU" and results.read_stamps("a GPU") == {"demo": mark}
    assert results.read(folder / "measurements.csv")[0]["chapter"] == "demo"
    assert results.read(folder / "claims.csv")[0]["measured"] == "1 is 1"
    (race,) = results.read(folder / "races.csv")
    assert (race["chapter"], race["bench"], race["needs"]) == ("demo", 1, "sm_80")
    assert mark["seconds"] == 12.3 and "seconds" not in stamps.stale(mark, nbformat.read(path, 4))


def test_record_refuses_a_page_whose_claim_does_not_hold(fake):
    path, claims, folder = fake
    claims += [{"sentence": "{x} is 2", "status": "not on this GPU", "measured": "1 is 2"}]
    before = path.read_text()
    with pytest.raises(RuntimeError, match="(?s)01_demo.ipynb was not saved.*1 is 2"):
        chapters.record()
    assert path.read_text() == before and not folder.exists()


def test_results_of_a_further_gpu_keep_a_claim_that_does_not_hold(fake, capsys):
    path, claims, folder = fake
    claims += [{"sentence": "{x} is 2", "status": "not on this GPU", "measured": "1 is 2"}]
    before = path.read_text()
    chapters.record(results_only=True)
    kept = results.read(folder / "claims.csv")
    assert [row["status"] for row in kept] == ["holds", "not on this GPU"]
    assert path.read_text() == before and "1 is 2" in capsys.readouterr().out


@pytest.mark.skipif(GPU, reason="says what record does where there is no GPU")
def test_record_needs_a_gpu():
    with pytest.raises(RuntimeError, match="needs a GPU"):
        chapters.record()


def test_unknown_chapter_lists_those_there_are():
    with pytest.raises(LookupError, match="no chapter '99'. There are: .*05_coalescing"):
        chapters._chosen(["99"])


@pytest.mark.parametrize("name", ["05", "05_coalescing", "coalescing"])
def test_a_chapter_has_three_names(name):
    assert [path.stem for path in chapters._chosen([name])] == ["05_coalescing"]


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


@pytest.mark.parametrize("config, want", [
    ("title: x\n", None),
    ('repository:\n  url: ""\n  branch: main\n', None),
    ("repository:\n  # url: https://example.org/no\nparse:\n  url: wrong\n", None),
    ("repository:\n  url: https://example.org/book\n  branch: main\n", "https://example.org/book"),
])  # fmt: skip
def test_address_has_one_place(tmp_path, monkeypatch, config, want):
    (tmp_path / "_config.yml").write_text(config)
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    assert chapters.address() == want


def test_write_is_stable(tmp_path):
    path = saved(tmp_path, "1")
    first = path.read_text()
    chapters.write(nbformat.read(path, as_version=4), path)
    assert path.read_text() == first and not list(tmp_path.glob("*.part"))

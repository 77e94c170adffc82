"""Executing, stamping and hashing notebooks."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warpbook.recording import chapters as recording
from warpbook.launch.backend import GPU


def notebook(*cells):
    return new_notebook(cells=[new_markdown_cell("# Title"), *map(new_code_cell, cells)])


def saved(folder, *cells):
    path = folder / "01_demo.ipynb"
    recording.write(notebook(*cells), path)
    return path


def hashes(*cells):
    return recording.hashes(notebook(*cells))


def outputs(executed):
    return [o.get("text", "") for c in executed.cells if c.cell_type == "code" for o in c.outputs]


def test_execute_runs_top_to_bottom_without_a_gpu(tmp_path):
    path = saved(tmp_path, "from warpbook.backend import GPU\nx = 1", "print(x + 1, GPU)")
    executed, rows = recording.execute(path, emulated=True)
    assert outputs(executed) == ["2 False\n"] and rows == []


def test_execute_names_the_notebook_and_the_fault(tmp_path):
    path = saved(tmp_path, "1 / 0")
    with pytest.raises(RuntimeError, match="(?s)01_demo.ipynb was not saved.*ZeroDivisionError"):
        recording.execute(path, emulated=True)


def test_a_cell_tagged_raises_exception_may_fail(tmp_path):
    cell = new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]})
    path = tmp_path / "01_demo.ipynb"
    recording.write(new_notebook(cells=[cell, new_code_cell("print(2)")]), path)
    executed, _ = recording.execute(path, emulated=True)
    assert "2\n" in outputs(executed)
    assert executed.cells[0].outputs[0].traceback == ["ZeroDivisionError: division by zero"]


def test_gpu_cells_say_that_they_were_skipped(tmp_path):
    path = saved(tmp_path, "from warpbook import cp", "%%gpu\nprint('on a GPU')")
    assert outputs(recording.execute(path, emulated=True)[0]) == [
        "This cell needs a GPU: not run here.\n"
    ]


def test_a_false_counter_claim_fails_the_chapter(tmp_path):
    path = saved(tmp_path, "from warpbook import claim\nclaim('{n} sectors', False, n=3)")
    with pytest.raises(RuntimeError, match="does not hold: 3 sectors"):
        recording.execute(path, emulated=True)


@pytest.mark.skipif(GPU, reason="says what record does where there is no GPU")
def test_record_needs_a_gpu():
    with pytest.raises(RuntimeError, match="needs a GPU"):
        recording.record()


def test_unknown_chapter_lists_those_there_are():
    with pytest.raises(LookupError, match="no chapter '99'. There are: .*05_coalescing"):
        recording._chosen(["99"])


def test_code_hash_sees_an_edit_and_overlooks_text_and_setup():
    assert hashes("a = 1")["code"] != hashes("a = 2")["code"]
    edited = notebook("a = 1")
    edited.cells[0].source = "# Another title"
    edited.cells.insert(1, new_code_cell("import x", metadata={"tags": ["setup"]}))
    assert recording.hashes(edited)["code"] == hashes("a = 1")["code"]


def test_kernel_hash_sees_an_edited_cu(tmp_path, monkeypatch):
    folder = tmp_path / "peaks"
    folder.mkdir()
    (folder / "01_copy.cu").write_text("one")
    monkeypatch.setattr(recording.source, "KERNELS", tmp_path)
    before = hashes('load("peaks/01_copy")')["kernels"]
    (folder / "01_copy.cu").write_text("two")
    assert hashes('load("peaks/01_copy")')["kernels"] != before
    assert hashes('load(f"peaks/{name}")')["kernels"] == hashes('load("peaks/01_copy")')["kernels"]


def test_kernels_used_finds_exercises_too():
    used = recording.kernels_used(notebook('show("peaks/02_fma")', 'start("coalescing/soa")'))
    assert {p.name for p in used} >= {"02_fma.cu"}


def test_package_hash_overlooks_comments_and_docstrings(tmp_path):
    def meaning(text):
        path = tmp_path / "m.py"
        path.write_text(text)
        return recording._meaning(path)

    plain = meaning("def f():\n    return 1\n")
    assert meaning('"""Doc\n\nmore."""\n# note\ndef f():\n    """Doc."""\n    return 1\n') == plain
    assert meaning("def f():\n    return 2\n") != plain


def test_setup_cell_fetches_the_package_only_where_the_address_is_set(monkeypatch):
    monkeypatch.setattr(recording, "address", lambda: None)
    assert "pip" not in recording.setup_cell()
    monkeypatch.setattr(recording, "address", lambda: "https://example.org/book")
    assert '%pip install -q "git+https://example.org/book"' in recording.setup_cell()


@pytest.mark.parametrize("config, want", [
    ("title: x\n", None),
    ('repository:\n  url: ""\n  branch: main\n', None),
    ("repository:\n  # url: https://example.org/no\nparse:\n  url: wrong\n", None),
    ("repository:\n  url: https://example.org/book\n  branch: main\n", "https://example.org/book"),
])  # fmt: skip
def test_address_has_one_place(tmp_path, monkeypatch, config, want):
    (tmp_path / "_config.yml").write_text(config)
    monkeypatch.setattr(recording, "ROOT", tmp_path)
    assert recording.address() == want


def test_write_is_stable(tmp_path):
    path = saved(tmp_path, "1")
    first = path.read_text()
    recording.write(nbformat.read(path, as_version=4), path)
    assert path.read_text() == first and not list(tmp_path.glob("*.part"))

"""`make lab`: chapters' copies open trusted, drawn and folded; an exercise opens by a click."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from helpers import BOOK, ROOT, look, module
from nbformat.sign import NotebookNotary
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from warpbook.grading import exercises
from warpbook.launch import source

CHAPTERS = ("04_warps_and_waves", "11_numbers", "15_matmul_naive")
CHANGED = "changed"  # a chapter with an edit that nobody committed
FOLDED = CHAPTERS[1]  # the first test looks for its folds, before the next one opens them
STARTED = "started"  # a notebook whose one cell started an exercise
COPY = "vector_add/deal"
SECONDS = 90  # the most that a busy machine may take for one step
# All cells are drawn at once, not those in sight alone.
SETTINGS = {"notebook-extension/tracker": {"windowingMode": "none"}}
# Open a notebook and start no kernel: nothing is run here.
OPEN = """
const [path, done] = arguments, kernelPreference = {shouldStart: false, canStart: false};
jupyterapp.restored.then(() =>
  jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook', kernelPreference}))
  .then(widget => widget.context.ready).then(() => done(''), error => done(String(error)));
"""
# Open a notebook as a reader does, with its kernel, which tells JupyterLab what language it speaks.
OPEN_WITH_KERNEL = """
const [path, done] = arguments;
jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'})
  .then(widget => widget.context.ready
    .then(() => widget.sessionContext.ready)
    .then(() => widget.sessionContext.session.kernel.info))
  .then(() => done(''), error => done(String(error)));
"""
PANEL = "const panel = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)');"
# The answers are folded by a heading; open them all.
UNFOLD = "jupyterapp.commands.execute('notebook:expand-all-headings')"
HIDDEN = f"""{PANEL}
return [...panel.querySelectorAll('.jp-Cell')].filter(n => !n.getClientRects().length).length;
"""
CLOSE = """
const done = arguments[0], {context} = jupyterapp.shell.currentWidget;
context.sessionContext.shutdown()
  .then(() => jupyterapp.commands.execute('application:close')).then(() => done());
"""
WHOLE = "return Boolean(window.jupyterapp?.commands?.hasCommand('docmanager:open'));"
CELLS = f"""{PANEL}
const raw = panel.querySelectorAll('.jp-MarkdownCell:not(.jp-mod-rendered)').length;
return raw ? 0 : panel.querySelectorAll('.jp-Cell').length;
"""
STATUS = f"{PANEL} return panel.querySelector('.warp-explore [role=status]').textContent"
SLIDER = f"""{PANEL}
const slider = panel.querySelector('.warp-explore [type=range]');
slider.scrollIntoView({{block: 'center'}});
return slider;
"""
DRAWN = f"""{PANEL}
const figures = '.jp-OutputArea-output figure:is(.warp-figure, .warp-explore) svg';
return [...panel.querySelectorAll(figures)]
  .map(n => n.getBoundingClientRect()).filter(box => box.width > 200 && box.height > 50).length;
"""
FRAMED = f"""{PANEL}
return [...panel.querySelectorAll('.jp-OutputArea-output .warp-code')]
  .filter(n => getComputedStyle(n).borderTopWidth == '1px').length;
"""
# Of each fold in a chapter's text: is it open, and its words outside of code.
FOLDS = f"""{PANEL}
return [...panel.querySelectorAll('.jp-MarkdownOutput details')].map(fold => {{
  const copy = fold.cloneNode(true);
  copy.querySelectorAll('code').forEach(code => code.remove());
  return [fold.open, copy.textContent]; }});
"""
WORDS = f"""{PANEL}
const copy = panel.cloneNode(true);
copy.querySelectorAll('pre, code').forEach(code => code.remove());
return [...copy.querySelectorAll('.jp-MarkdownOutput')].map(n => n.textContent).join('\\n');
"""
# Listings without their button; and the first claim's tick.
UNCOPIED = f"""{PANEL}
return [...panel.querySelectorAll('.warp-code .w-body')]
  .filter(n => n.firstChild && !n.previousElementSibling.matches('.w-copy')).length;
"""
TICK = f"""{PANEL}
const tick = panel.querySelector('.warp-claim summary');
tick.scrollIntoView({{block: 'center'}});
return tick;
"""
OPENED = f"{PANEL} return [...panel.querySelectorAll('.warp-claim details')].map(n => n.open)"
RAW = re.compile(r"^ *:{3,}|^ *`{3,}|\{[a-z-]+\}`|\*\*", re.M)
ASKED = "return document.querySelectorAll('.Toastify__toast').length"
LISTED = """
return [...document.querySelectorAll('.jp-DirListing-itemText')].map(n => n.textContent);
"""
EDITORS = """
return [...document.querySelectorAll('.jp-FileEditor:not(.lm-mod-hidden) .cm-content')]
  .map(n => n.textContent);
"""


def git(folder, *words):
    own = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


def start(folder):
    """Start an exercise in a project; save the notebook that shows it."""
    topic = COPY.split("/")[0]
    shutil.copytree(ROOT / "kernels" / topic, folder / "kernels" / topic)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "KERNELS", folder / "kernels")
        patch.delenv(exercises.WORK, raising=False)
        html = exercises.start(COPY)._repr_html_()
    new = nbformat.v4
    output = new.new_output("execute_result", {"text/html": html})
    cell = new.new_code_cell(f'start("{COPY}")', outputs=[output])
    nbformat.write(new.new_notebook(cells=[cell]), folder / "book" / f"{STARTED}.ipynb")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project in git: chapters, one with an edit, and a notebook that started an exercise."""
    folder = tmp_path_factory.mktemp("lab") / "project"
    for part in ("book", "tools", ".venv/bin"):
        (folder / part).mkdir(parents=True)
    for name in ("lab.py", "committed.py"):
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    (folder / ".venv" / "bin" / "jupyter").symlink_to(Path(sys.executable).parent / "jupyter")
    for stem in CHAPTERS:
        shutil.copy(BOOK / f"{stem}.ipynb", folder / "book")
    changed = folder / "book" / f"{CHANGED}.ipynb"
    shutil.copy(BOOK / f"{CHAPTERS[0]}.ipynb", changed)
    start(folder)
    git(folder, "init", "-q")
    git(folder, "add", "book")
    git(folder, "commit", "-q", "-m", "all")
    changed.write_text(
        changed.read_text(encoding="utf-8").replace('"# ', '"# Not ', 1), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def account(tmp_path_factory):
    """The folders of an account that never used Jupyter, as its environment."""
    folder = tmp_path_factory.mktemp("account")
    for name, values in SETTINGS.items():
        package, plugin = name.split("/")
        path = folder / "settings" / "@jupyterlab" / package / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    own = {f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    own["JUPYTERLAB_SETTINGS_DIR"] = str(folder / "settings")
    own["JUPYTERLAB_WORKSPACES_DIR"] = str(folder / "workspaces")
    return own


@pytest.fixture(scope="module")
def lab(browser, project, account, tmp_path_factory):
    """The browser at JupyterLab, started as `make lab` does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--IdentityProvider.token=",
        "--LabApp.expose_app_in_browser=True",
    ]
    path = tmp_path_factory.mktemp("log") / "log"
    with open(path, "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, project / "tools" / "lab.py", *words],
            stdout=log,
            stderr=log,
            env=os.environ | account | {exercises.WORK: str(project / "work")},
        )
        try:
            address = f"http://127.0.0.1:{port}"
            assert until(lambda: process.poll() is not None or answers(address)), path.read_text(
                encoding="utf-8"
            )
            assert process.poll() is None, path.read_text(encoding="utf-8")
            look(browser, f"{address}/lab")
            assert until(lambda: browser.execute_script(WHOLE))
            browser.set_script_timeout(SECONDS)
            yield browser
            browser.get("about:blank")
        finally:
            process.terminate()
            process.wait(SECONDS)


def answers(address):
    try:
        return urllib.request.urlopen(f"{address}/api", timeout=5).status == 200
    except OSError:
        return False


def until(seen):
    """What ``seen`` returns as soon as it is true; None after a long time."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if value := seen():
            return value
        time.sleep(0.1)
    return None


@pytest.fixture
def opened(lab, project):
    """Open a notebook in front; return it once all of its cells are drawn."""

    def show(stem):
        notebook = nbformat.read(project / "work" / "book" / f"{stem}.ipynb", 4)
        assert lab.execute_async_script(OPEN, f"book/{stem}.ipynb") == ""
        lab.execute_script(UNFOLD)
        assert until(lambda: lab.execute_script(CELLS) == len(notebook.cells))
        return notebook

    return show


def shown(notebook, mark):
    """How often a mark occurs in the HTML that a notebook's outputs show, scripts apart."""
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    texts = ("".join(o.get("data", {}).get("text/html", "")) for o in outputs)
    return sum(re.sub(r"<script.*?</script>", "", text, flags=re.S).count(mark) for text in texts)


def test_what_answers_a_prediction_is_folded_until_it_is_opened(lab, project):
    notebook = nbformat.read(project / "work" / "book" / f"{FOLDED}.ipynb", 4)
    answers = sum("answer" in cell.metadata.get("tags", []) for cell in notebook.cells)
    assert lab.execute_async_script(OPEN, f"book/{FOLDED}.ipynb") == ""
    assert answers and until(lambda: lab.execute_script(HIDDEN) == answers)
    lab.execute_script(UNFOLD)
    assert until(lambda: lab.execute_script(HIDDEN) == 0)


@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_chapter_opens_drawn_and_folded(lab, opened, stem):
    notebook = opened(stem)
    figures, listings = (shown(notebook, mark) for mark in ("<svg", '<div class="warp-code">'))
    assert figures and until(lambda: lab.execute_script(DRAWN) == figures)
    assert listings and lab.execute_script(FRAMED) == listings
    folds = lab.execute_script(FOLDS)
    assert len(folds) == sum(c.source.count("<details>") for c in notebook.cells) > 0
    assert [words for is_open, words in folds if is_open or RAW.search(words)] == []
    assert RAW.findall(lab.execute_script(WORDS)) == []


def test_nobody_asks_about_news_and_pages_alone_are_listed(lab):
    assert lab.execute_script(WHOLE) and not lab.execute_script(ASKED)
    assert until(lambda: f"{CHAPTERS[0]}.ipynb" in lab.execute_script(LISTED))
    assert {Path(name).suffix for name in lab.execute_script(LISTED)} == {".ipynb"}


def test_the_arrow_keys_belong_to_the_figure(lab, opened):
    """JupyterLab takes them for commands: it would go to the next heading, or fold the section."""
    opened(CHAPTERS[0])
    ActionChains(lab).click(lab.execute_script(SLIDER)).perform()
    said = lab.execute_script(STATUS)
    ActionChains(lab).send_keys(Keys.ARROW_RIGHT).perform()
    assert until(lambda: lab.execute_script(STATUS) != said)
    assert lab.execute_script("return document.activeElement.type") == "range"


def test_listings_have_their_button_and_a_claims_tick_opens_by_keyboard(lab, opened):
    """Enter would edit the cell: JupyterLab must leave it to what has the focus."""
    opened(CHAPTERS[0])
    assert until(lambda: lab.execute_script(UNCOPIED) == 0)
    assert not any(lab.execute_script(OPENED))
    lab.execute_script(TICK).send_keys(Keys.ENTER)
    assert until(lambda: lab.execute_script(OPENED)[0])
    assert lab.execute_script("return document.activeElement.tagName") == "SUMMARY"


@pytest.fixture
def saving(lab, project):
    """A chapter, open with its kernel, and a function that saves it by Ctrl+S."""
    path = project / "work" / "book" / "saved.ipynb"
    shutil.copy(BOOK / f"{CHAPTERS[0]}.ipynb", path)
    assert lab.execute_async_script(OPEN_WITH_KERNEL, "book/saved.ipynb") == ""
    assert until(lambda: lab.execute_script(CELLS) == len(nbformat.read(path, 4).cells))

    def save():
        before = path.stat().st_mtime_ns
        ActionChains(lab).key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
        assert until(lambda: path.stat().st_mtime_ns != before)
        assert until(lambda: path.read_text(encoding="utf-8").endswith("}\n"))  # it is whole
        return path.read_text(encoding="utf-8")

    yield save
    lab.execute_async_script(CLOSE)
    path.unlink()


def test_what_is_saved_differs_by_what_was_edited(lab, saving):
    """By nothing at first, then, with a word before the first paragraph's others, by one line."""
    before = (BOOK / f"{CHAPTERS[0]}.ipynb").read_text(encoding="utf-8")
    first = lab.execute_script(f"{PANEL} return panel.querySelector('.jp-MarkdownCell p')")
    ActionChains(lab).click(first).perform()
    assert saving() == before
    ActionChains(lab).send_keys(Keys.ENTER).perform()
    assert until(lambda: lab.execute_script("return document.activeElement.isContentEditable"))
    keys = ActionChains(lab).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL)
    keys.send_keys("Edited: ").perform()
    old, new = before.splitlines(), saving().splitlines()
    changed = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
    assert [line.count("Edited: ") for pair in changed for line in pair] == [0, 1]


def test_a_changed_chapter_is_not_trusted(lab, opened):
    """The control of the test above: what is not as committed has no figure drawn."""
    assert shown(opened(CHANGED), "<svg") and lab.execute_script(DRAWN) == 0


def test_the_working_copy_opens_by_a_click(lab, opened, project):
    opened(STARTED)
    lab.execute_script(PANEL + "panel.querySelector('a.warp-open').click()")
    text = (project / "work" / f"{COPY}.cu").read_text(encoding="utf-8")
    assert until(lambda: lab.execute_script(EDITORS) == [text.replace("\n", "")]), text


def test_the_builder_takes_the_link_away():
    """A page has no copy to open."""
    page = module(BOOK / "_ext" / "copies.py")
    link = '<p><a class="warp-open" href="../work/b.cu">work/b.cu</a>, <a href="#c">c</a></p>'
    assert page.unlinked(link) == '<p>work/b.cu, <a href="#c">c</a></p>'


# The trust, without a browser.


@pytest.fixture
def tool():
    return module(ROOT / "tools" / "lab.py")


def test_only_what_is_as_committed_is_trusted(tool, project, account, monkeypatch):
    for name, value in account.items():
        monkeypatch.setenv(name, value)
    assert [path.stem for path in tool.trust(project)] == [CHANGED]
    notary = NotebookNotary(**tool.store())
    trusted = {
        path.stem: notary.check_signature(nbformat.read(path, 4))
        for path in (project / "book").glob("*.ipynb")
    }
    assert trusted == {CHANGED: False, STARTED: True} | dict.fromkeys(CHAPTERS, True)
    assert not (Path(account["JUPYTER_DATA_DIR"]) / "nbsignatures.db").exists()


def test_lab_notes_are_trusted_as_chapters_are(tool, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "book" / "lab"
    folder.mkdir(parents=True)
    for name in ("01_same", "02_edited"):
        nbformat.write(nbformat.v4.new_notebook(), folder / f"{name}.ipynb")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "book")
    git(tmp_path, "commit", "-qm", "x")
    edited = nbformat.v4.new_notebook(metadata={"a": 1})
    nbformat.write(edited, folder / "02_edited.ipynb")
    assert tool.trust(tmp_path) == [folder / "02_edited.ipynb"]
    assert "02_edited.ipynb" in tool.said(tool.trust(tmp_path))


@pytest.fixture
def small(tmp_path):
    """A project with two pages, one with a prediction, its answer and what comes after it."""
    new = nbformat.v4
    answer = {"tags": ["answer"]}
    cells = [
        new.new_markdown_cell("# A"),
        new.new_code_cell('predict("a", "How many?", "")'),
        new.new_code_cell('reveal("a", 1)', metadata=answer),
        new.new_markdown_cell("### Why\n\n```sh\n# no heading\n```", metadata=answer),
        new.new_markdown_cell("And on. [Edit](../work/t/a.cu)"),
    ]
    (tmp_path / "book" / "lab").mkdir(parents=True)
    nbformat.write(new.new_notebook(cells=cells), tmp_path / "book" / "01_a.ipynb")
    nbformat.write(new.new_notebook(), tmp_path / "book" / "lab" / "01_a.ipynb")
    (tmp_path / "book" / "glossary.md").write_text("# Words", encoding="utf-8")
    return tmp_path


def test_a_copy_folds_its_answers_under_a_heading_of_their_own(tool, small):
    cells = tool.folded(small / "book" / "01_a.ipynb").cells
    assert [cell.source.partition("\n")[0] for cell in cells] == [
        "# A",
        'predict("a", "How many?", "")',
        tool.BEGIN,
        'reveal("a", 1)',
        "**Why**",
        tool.END,
        "And on. [Edit](../t/a.cu)",
    ]
    assert "\n# no heading\n" in cells[4].source and cells[2].metadata == tool.FOLD


def test_a_copy_follows_the_book_until_somebody_touches_it(tool, small):
    page, work = small / "book" / "01_a.ipynb", small / "mine"
    folder, made, kept = tool.copied(small, work)
    assert (folder, len(made), kept) == (work / "book", 2, [])
    assert (folder / "glossary.md").read_text(encoding="utf-8") == "# Words"
    assert tool.copied(small, work)[1:] == ([], [])
    page.write_text(page.read_text(encoding="utf-8").replace("# A", "# B"), encoding="utf-8")
    copy = folder / "01_a.ipynb"
    assert tool.copied(small, work)[1:] == ([copy], []) and "# B" in copy.read_text(
        encoding="utf-8"
    )
    own = copy.read_text(encoding="utf-8").replace("And on.", "My note.")
    copy.write_text(own, encoding="utf-8")
    assert tool.copied(small, work)[1:] == ([], [])  # the book's page is as before
    page.write_text(page.read_text(encoding="utf-8").replace("# B", "# C"), encoding="utf-8")
    assert tool.copied(small, work)[1:] == ([], ["01_a.ipynb"])
    assert copy.read_text(encoding="utf-8") == own


def test_of_a_page_that_the_book_has_no_more_only_the_readers_own_copy_stays(tool, small):
    folder = tool.copied(small, small / "mine")[0]
    (folder / "01_a.ipynb").write_text("mine", encoding="utf-8")
    for path in (small / "book").glob("**/*.ipynb"):
        path.unlink()
    tool.copied(small, small / "mine")
    assert [path.name for path in folder.glob("**/*.ipynb")] == ["01_a.ipynb"]


def test_pages_that_are_not_as_committed_are_named_before_they_are_built(project):
    told = subprocess.run(
        [sys.executable, project / "tools" / "committed.py"], capture_output=True, encoding="utf-8"
    ).stdout
    assert told.startswith(f"Not as committed: {CHANGED}.ipynb. ")
    assert "tools/committed.py; " in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_a_started_exercise_is_linked_from_where_the_copy_lies(tmp_path, monkeypatch):
    monkeypatch.setenv(exercises.WORK, str(tmp_path))
    (tmp_path / "book" / "lab").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "book" / "lab")
    assert 'href="../../vector_add/deal.cu"' in exercises.start(COPY)._repr_html_()


def test_what_git_merely_assumes_is_looked_at(tool, project):
    path = f"book/{CHANGED}.ipynb"
    git(project, "update-index", "--assume-unchanged", path)
    assert project / path not in tool.committed(project)


def test_without_git_nothing_is_trusted(tool, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "book").mkdir()
    shutil.copy(BOOK / f"{CHAPTERS[0]}.ipynb", tmp_path / "book")
    assert tool.committed(tmp_path) == []
    assert [path.stem for path in tool.trust(tmp_path)] == [CHAPTERS[0]]


@pytest.mark.parametrize("text", [":::{admonition} Note", "see {doc}`05_coalescing`", "a **bold**"])
def test_raw_markdown_is_seen(text):
    assert RAW.search(f"before\n{text}\nafter") and not RAW.search("a dict {x: 1}, a :: b, 2 * 3")

"""Open the chapters in JupyterLab, their figures drawn; `make lab` runs this.

    .venv/bin/python tools/lab.py [--edit] [options of jupyter lab]

A reader works on copies of the pages, in book/ beside the copies of the exercises (work/book/ in a
checkout of one's own), so that the checkout stays as it is: what is run on a laptop is not saved
over the outputs of the page's GPU. A copy that nobody has touched follows the book; another is
kept. In a copy, what answers a prediction is folded. With --edit JupyterLab opens the pages
themselves.

JupyterLab draws the figures that are saved in a notebook only if it trusts the notebook. This signs
the chapters that are exactly as committed, and no others. The signatures lie in your account, for
several users may share a checkout; your other signatures are neither read nor changed.
What you run or save in JupyterLab it signs by itself.
A chapter that you save stands in its file as before but for your edit: see BEFORE_SAVE.
"""

import hashlib
import json
import os
import re
import sys
from pathlib import Path

import nbformat
from committed import ROOT, committed, git
from jupyter_core.paths import jupyter_data_dir
from nbformat.sign import NotebookNotary

from warpbook.grading import exercises

BEFORE_SAVE = "warpbook.recording.notebooks.before_save"
HOW = "run it, or choose 'Trust Notebook' in the command palette (Ctrl+Shift+C)"
LIST = ".pages.json"  # {a copy: the hash of what was written into it}
ANSWER = "answer"  # the tag of cells that give a prediction's answer away
# A folded heading hides what comes after it, to the next one.
FOLD = {"jp-MarkdownHeadingCollapsed": True}
BEGIN, END = "###### The answer", "###### After the answer"
HEADING = re.compile(r"^#{1,6} +(.*)$", re.M)
# No question about news, no search for another JupyterLab.
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}
# Pages and exercises alone are listed.
HIDDEN = "--ContentsManager.hide_globs=" + repr(["*.md", "__pycache__", "*.pyc", ".*"])


def copied(root=ROOT, work=None):
    """Bring the copies of all pages up to date.

    root: the project; work: the folder of the reader's copies. Returns (the folder of the pages'
    copies, the copies that were made now, the names of those that are the reader's own although
    the book's page has changed).
    """
    book, folder = root / "book", (work or exercises.work_folder()) / "book"
    made, kept, listed = [], [], _listed(folder)
    pages = {page.relative_to(book).as_posix(): page for page in sorted(_pages(book))}
    for name, page in pages.items():
        copy, fresh = folder / name, nbformat.writes(folded(page)) + "\n"
        written = listed.get(name)
        if copy.is_file() and _hash(copy.read_bytes()) != written:  # it is the reader's
            if written and written != _hash(fresh.encode()):
                kept.append(name)
        elif not copy.is_file() or written != _hash(fresh.encode()):
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy.write_text(fresh, encoding="utf-8")
            listed[name] = _hash(fresh.encode())
            made.append(copy)
    for name in listed.keys() - pages.keys():  # the book has this page no more
        copy, written = folder / name, listed.pop(name)
        if copy.is_file() and _hash(copy.read_bytes()) == written:
            copy.unlink()
    for text in book.glob("*.md"):  # what pages link to; the list of files leaves them out
        (folder / text.name).write_bytes(text.read_bytes())
    (folder / LIST).write_text(json.dumps(listed, indent=0), encoding="utf-8")
    return folder, made, kept


def _pages(book):
    return [*book.glob("*.ipynb"), *book.glob("lab/*.ipynb")]


def _listed(folder):
    try:
        return json.loads((folder / LIST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def _hash(content):
    return hashlib.sha256(content).hexdigest()


def folded(page):
    """A page as its copy begins: answers folded, and links to exercises as they are from there."""
    text = page.read_text(encoding="utf-8").replace("../work/", "../")
    notebook = nbformat.reads(text, as_version=4)
    cells, new = [], nbformat.v4.new_markdown_cell
    for cell in notebook.cells:
        before = ANSWER in (cells[-1].metadata.get("tags", []) if cells else [])
        if ANSWER in cell.metadata.get("tags", []):
            if not before:
                cells.append(new(BEGIN, id=f"{cell.id}-begin", metadata=FOLD))
            if cell.cell_type == "markdown":  # a heading would end the fold
                parts = cell.source.split("```")  # every other one is code
                parts[::2] = [HEADING.sub(r"**\1**", part) for part in parts[::2]]
                cell.source = "```".join(parts)
        elif before and not (cell.cell_type == "markdown" and HEADING.match(cell.source)):
            cells.append(new(END, id=f"{cell.id}-end"))
        cells.append(cell)
    notebook.cells = cells
    return notebook


def account():
    """The folder of the reader's account that is ours."""
    return Path(jupyter_data_dir()) / "warp-by-warp"


def quiet():
    """Write SETTINGS as JupyterLab's defaults, which the reader's own settings beat; the folder."""
    folder = account() / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    return folder


def store():
    """The options that name where signatures lie."""
    folder = account()
    return {"db_file": str(folder / "signatures.db"), "secret_file": str(folder / "secret")}


def trust(root=ROOT, folder=None):
    """Sign the chapters that are as committed, and the copies that are as such a chapter's copy
    begins; return those that stay without trust.

    folder: of the copies; without it the pages of the book themselves are looked at.
    """
    Path(store()["db_file"]).parent.mkdir(parents=True, exist_ok=True)
    notary, doubtful = NotebookNotary(**store()), []
    same, book = set(committed(root)), root / "book"
    for page in sorted(_pages(book)):
        path = folder / page.relative_to(book) if folder else page
        notebook = nbformat.read(path, as_version=4)
        begun = folded(page) if folder else notebook
        if page in same and notebook == begun:
            notary.sign(notebook)
        elif not notary.check_signature(notebook):
            doubtful.append(path)
    notary.store.close()
    return doubtful


def command(words, serve, first):
    """The command that starts JupyterLab.

    serve: the folder that it shows; first: the one in it that it opens; words: options, which come
    last, so that they decide.
    """
    options = [f"--NotebookNotary.{name}={value}" for name, value in store().items()]
    return [
        str(ROOT / ".venv" / "bin" / "jupyter"),
        "lab",
        f"--ServerApp.root_dir={serve}",
        f"--ServerApp.preferred_dir={first}",
        f"--ContentsManager.pre_save_hook={BEFORE_SAVE}",
        f"--LabApp.app_settings_dir={quiet()}",
        *options,
        *words,
    ]


def said(doubtful):
    """What to tell the reader of chapters that were not trusted."""
    names = ", ".join(path.name for path in doubtful)
    why = "" if git("rev-parse", "HEAD") else " (git says nothing of this folder)"
    return f"Not as committed, so their saved figures are not drawn{why}: {names}.\nFor one: {HOW}."


def main():
    words = [word for word in sys.argv[1:] if word != "--edit"]
    if len(words) < len(sys.argv) - 1:
        serve, first, doubtful = ROOT, ROOT / "book", trust()
    else:
        first, _, kept = copied()
        serve, doubtful = first.parent, trust(folder=first)
        words = [HIDDEN, *words]
        for name in kept:
            print(
                f"{first / name} is yours and is kept; the book's page has changed. "
                "For the new page rename yours, and start again.",
                flush=True,
            )
    if doubtful:
        print(said(doubtful), flush=True)
    line = command(words, serve, first)
    os.execv(line[0], line)


if __name__ == "__main__":
    main()

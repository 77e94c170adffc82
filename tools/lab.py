"""Open the chapters in JupyterLab, their figures drawn; `make lab` runs this.

    .venv/bin/python tools/lab.py [options of jupyter lab]

JupyterLab draws the figures that are saved in a notebook only if it trusts the notebook. This signs
the chapters that are exactly as committed, and no others. The signatures lie in your account, for
several users may share a checkout; your other signatures are neither read nor changed.
What you run or save in JupyterLab it signs by itself.
A chapter that you save stands in its file as before but for your edit: see BEFORE_SAVE.
The project is served, not book/ alone, so that your copies in work/ open by a click.
"""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from jupyter_core.paths import jupyter_data_dir
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).resolve().parent.parent
BEFORE_SAVE = "warpbook.recording.notebooks.before_save"
FOLDERS = ("book/", "book/lab/")  # of the chapters and of their lab notes
HOW = "run it, or choose 'Trust Notebook' in the command palette (Ctrl+Shift+C)"


def git(*words, root=ROOT):
    """The lines that a git command prints; none where it fails or there is no git."""
    shared = f"safe.directory={root}"  # git itself is wary of a checkout that another user owns
    try:
        done = subprocess.run(
            ["git", "-c", shared, "-C", root, *words], capture_output=True, encoding="utf-8"
        )
    except OSError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def committed(root=ROOT):
    """The pages in book/ whose content is that of the last commit."""
    there = git("ls-tree", "HEAD", *FOLDERS, root=root)
    lines = [line.split(maxsplit=3) for line in there]
    files = {root / path: blob for _, _, blob, path in lines if path.endswith(".ipynb")}
    there = [path for path in files if path.is_file()]
    now = git("hash-object", "--", *there, root=root) if there else []
    return (
        [path for path, blob in zip(there, now, strict=True) if files[path] == blob] if now else []
    )


def store():
    """The options that name where signatures lie."""
    folder = Path(jupyter_data_dir()) / "warp-by-warp"
    return {"db_file": str(folder / "signatures.db"), "secret_file": str(folder / "secret")}


def trust(root=ROOT):
    """Sign the chapters that are as committed; return those of book/ that stay without trust."""
    Path(store()["db_file"]).parent.mkdir(parents=True, exist_ok=True)
    notary, doubtful = NotebookNotary(**store()), []
    same = set(committed(root))
    for path in sorted(p for name in FOLDERS for p in (root / name).glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        if path in same:
            notary.sign(notebook)
        elif not notary.check_signature(notebook):
            doubtful.append(path)
    notary.store.close()
    return doubtful


def command(words, root=ROOT):
    """The command that starts JupyterLab; ``words`` come last, so that they decide."""
    options = [f"--NotebookNotary.{name}={value}" for name, value in store().items()]
    return [
        str(root / ".venv" / "bin" / "jupyter"),
        "lab",
        f"--ServerApp.root_dir={root}",
        f"--ServerApp.preferred_dir={root / 'book'}",
        f"--ContentsManager.pre_save_hook={BEFORE_SAVE}",
        *options,
        *words,
    ]


def said(doubtful):
    """What to tell the reader of chapters that were not trusted."""
    names = ", ".join(path.name for path in doubtful)
    why = "" if git("rev-parse", "HEAD") else " (git says nothing of this folder)"
    return f"Not as committed, so their saved figures are not drawn{why}: {names}.\nFor one: {HOW}."


def main():
    doubtful = trust()
    if doubtful:
        print(said(doubtful), flush=True)
    line = command(sys.argv[1:])
    os.execv(line[0], line)


if __name__ == "__main__":
    main()

"""Which pages of the book are as committed? `make book` says which are not; `make lab` asks, too.

.venv/bin/python tools/committed.py
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("book/", "book/lab/")  # of the chapters and of their lab notes


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


def hashes(root=ROOT):
    """{a page in book/ that is there: (git's hash of it in the last commit, and as it is now)}."""
    lines = [line.split(maxsplit=3) for line in git("ls-tree", "HEAD", *FOLDERS, root=root)]
    files = {root / path: blob for _, _, blob, path in lines if path.endswith(".ipynb")}
    there = [path for path in files if path.is_file()]
    now = git("hash-object", "--", *there, root=root) if there else []
    return {path: (files[path], blob) for path, blob in zip(there, now, strict=bool(now))}


def committed(root=ROOT):
    """The pages in book/ whose content is that of the last commit."""
    return [path for path, (before, now) in hashes(root).items() if before == now]


def main():
    changed = [path.name for path, (before, now) in hashes().items() if before != now]
    if changed:
        print(
            f"Not as committed: {', '.join(changed)}. The book is built with what stands in them; "
            "`git diff --stat book` says how much that is.",
            flush=True,
        )


if __name__ == "__main__":
    main()

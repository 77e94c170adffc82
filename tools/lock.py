"""Write requirements.txt: a version of everything that pyproject.toml asks for.

    .venv/bin/python tools/lock.py             keeps what is locked, as far as it still fits
    .venv/bin/python tools/lock.py --upgrade   takes the newest versions

The lock is one for every machine and every Python from the oldest promised on: where these need
different versions, a line says in a marker what it is for.
"""

import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.txt"
HEAD = """\
# A version of everything, for every machine and each Python from {} on. tools/lock.py writes it
# from pyproject.toml, which asks for the packages below; the others are what those need. `make`
# installs 'always', 'book' and 'test', and 'gpu' where an NVIDIA driver is."""
COMMAND = (
    "uv pip compile pyproject.toml --universal --all-extras --no-header -o requirements.txt -q"
)


def project(root=ROOT):
    """The table [project] of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def oldest(root=ROOT):
    """The oldest Python promised, such as '3.11'."""
    return project(root)["requires-python"].removeprefix(">=")


def head(root=ROOT):
    """The lock's first lines: what pyproject.toml itself asks for, always and for each extra."""
    asked = {"always": project(root)["dependencies"], **project(root)["optional-dependencies"]}
    lines = [HEAD.format(oldest(root))]
    for extra, needs in asked.items():
        names = ", ".join(re.match(r"[\w.-]+", need)[0] for need in needs)
        lines.append(textwrap.fill(f"#   {extra}: {names}", 98, subsequent_indent="#     "))
    return "\n".join(lines) + "\n"


def main():
    command = COMMAND.split() + ["--python-version", oldest(), *sys.argv[1:]]
    command[0] = Path(sys.executable).parent / "uv"
    subprocess.run(command, cwd=ROOT, check=True)
    LOCK.write_text(head() + "\n" + LOCK.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()

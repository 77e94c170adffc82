"""How a notebook stands in the repository: as JupyterLab saves it, so that a diff shows the edit.

``python -m warpbook record`` and the tools write with ``write``; the JupyterLab that `make lab`
starts calls ``before_save``. It imports nothing but nbformat, for that server's sake.
"""

import re
from pathlib import Path
from typing import Any

# What fetches the package on Colab, once, or says where it is: see ``chapters.fetch``.
_FETCH = re.compile(
    r"\A(?:try:\n +import warpbook\nexcept ModuleNotFoundError:.*\n +%pip .*\n+"
    r"|# No module named warpbook\?.*\n)"
)
# What JupyterLab fills in when a kernel has started. It also writes the version of the reader's
# Python, which ``before_save`` takes out.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}


def read(path: str | Path) -> Any:
    """Return the notebook in a file, as nbformat's node."""
    import nbformat

    return nbformat.read(path, as_version=4)


def write(notebook: Any, path: Path) -> None:
    """Write a notebook as JupyterLab would; its kernel and language become those of the book."""
    import nbformat

    notebook.metadata.update(nbformat.from_dict(METADATA))
    part = path.with_suffix(".part")
    nbformat.write(notebook, part)
    part.replace(path)


def before_save(model: dict, **_: Any) -> None:
    """Take the version of the reader's Python out of a notebook that JupyterLab is about to save.

    model: of Jupyter's contents API.
    """
    if model["type"] == "notebook":
        model["content"]["metadata"].get("language_info", {}).pop("version", None)


def without_fetch(source: str) -> str:
    """Return a cell's source without the lines that fetch the package, or say where it is."""
    return _FETCH.sub("", source)

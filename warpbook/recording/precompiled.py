"""What a page has compiled, in a zip file: with it the page runs where there is no compiler."""

import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from warpbook.recording import chapters
from warpemu import store


def keep(page: Path, folder: Path) -> Path:
    """Run a page in the emulator and zip all that its process had compiled, and disassembled.

    Returns the zip file: folder/05_coalescing.zip, or folder/lab/05_coalescing.zip for lab notes.
    Raises RuntimeError where a cell fails; no file is written then.
    """
    path = folder / f"{chapters.name(page)}.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as collected:
        with patch.dict(os.environ, {store.COLLECT: collected, store.COMPILED: ""}):
            chapters.execute(page, emulated=True)
        store.pack(Path(collected), path)
    return path

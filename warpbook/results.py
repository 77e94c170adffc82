"""The store of measurements, a folder a GPU: book/results/<gpu>/.

    measurements.csv   one row a chapter, kernel and size: what ``bench`` timed; sm_clock_mhz is
                       empty where a row was recorded before it was read
    claims.csv         one row a claim: what it measured there, and whether it held
    predictions.csv    one row a question that readers are asked: the number that answers it
    counters/          by topic: the profiler's counters of the launches in its counters.txt
    stamps.json        by chapter: with what and from what its rows were measured

A chapter is known by its slug, 'coalescing' for 05_coalescing.ipynb, so that a chapter may change
its number; its lab notes have a slug of their own, 'lab/coalescing'.
"""

import json
import os
import re
from pathlib import Path

from warpbook.launch.source import PACKAGE, ROOT

FOLDER = ROOT / "book" / "results" if (ROOT / "book").is_dir() else PACKAGE / "book" / "results"
MEASUREMENTS = [
    "chapter",
    "kernel",
    "size",
    "ms",
    "p20_ms",
    "p80_ms",
    "gb_per_s",
    "gflop_per_s",
    "bound_ms",
    "sm_clock_mhz",
]
CLAIMS = ["chapter", "sentence", "status", "measured", "checked"]
PREDICTIONS = ["chapter", "key", "question", "unit", "value"]
TABLES = {"measurements": MEASUREMENTS, "claims": CLAIMS, "predictions": PREDICTIONS}
RECORDING = "WARPBOOK_RECORDING"  # while a chapter is recorded: the folder that collects its rows
PAGE = "WARPBOOK_PAGE"  # while a page is executed: its name, such as 'lab/05_coalescing'


def add(table, size, bounds):
    """Collect one row for each contestant of a bench table, while a chapter is being recorded.

    table: as ``bench`` makes it; size: the run's name; bounds: ms that the measured rates allow,
    by contestant.
    """
    rows = table.reset_index(names="kernel")
    _collect(
        "measurements.csv",
        rows.assign(size=str(size), bound_ms=list(bounds.values())),
        MEASUREMENTS,
    )


def add_claim(sentence, status, measured, checked):
    """Collect what a claim measured, while a chapter is being recorded.

    sentence: its fields are still open, so that it names the claim on every GPU. measured: the same
    sentence with its numbers. checked: what they had to meet, in words.
    """
    import pandas as pd

    if os.environ.get(RECORDING):
        row = {"sentence": sentence, "status": status, "measured": measured, "checked": checked}
        _collect("claims.csv", pd.DataFrame([row]), CLAIMS)


def add_prediction(key, question, unit, value):
    """Collect the number that answers a question to the reader, while a chapter is recorded.

    key, question: together they name it on every GPU. value: the number, in ``unit``.
    """
    import pandas as pd

    if os.environ.get(RECORDING):
        row = {"key": key, "question": question, "unit": unit, "value": value}
        _collect("predictions.csv", pd.DataFrame([row]), PREDICTIONS)


def prediction(key, question):
    """Return (the GPU's name, the number) that was recorded for a question, or None.

    If several GPUs have an answer, that of the GPU on which most chapters were recorded counts.
    During a recording it is None: a page must not show what an earlier recording measured.
    """
    if os.environ.get(RECORDING):
        return None
    answers = []
    for path in FOLDER.glob("*/predictions.csv"):
        stamps = json.loads(path.with_name("stamps.json").read_text(encoding="utf-8"))
        answers += [
            (len(stamps), stamps[row["chapter"]]["gpu"], row["value"])
            for row in read(path)
            if (row["key"], row["question"]) == (key, question)
        ]
    return max(answers)[1:] if answers else None


def _collect(name, rows, columns):
    folder = os.environ.get(RECORDING)
    if not folder:
        return
    path = Path(folder) / name
    rows = rows.reindex(columns=columns[1:])  # the chapter's name comes with ``merge``
    rows.to_csv(path, mode="a", header=not path.exists(), index=False)


def read(path):
    """Return the rows of one results file as a list of dicts; [] where there is no file."""
    import pandas as pd  # here: the grader's child process starts in half the time without it

    return pd.read_csv(path, dtype={"size": str}).to_dict("records") if path.exists() else []


def merge(collected, gpu, chapter, stamp):
    """Put what a recording of a chapter collected into book/results/<gpu>/.

    collected: {a name in ``TABLES``: its rows, from ``read``}. They replace the rows that the
    chapter had there. stamp: a dict, stored as it is.
    """
    folder = folder_of(gpu)
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in TABLES.items():
        _replace(folder / f"{name}.csv", collected.get(name, []), columns, chapter)
    stamps = read_stamps(gpu) | {chapter: stamp}
    text = json.dumps(stamps, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    (folder / "stamps.json").write_text(text, encoding="utf-8")


def replace_claims(gpu, chapter, rows):
    """Put a chapter's claims, worded anew, in place of those that it had. rows: as ``read``."""
    _replace(folder_of(gpu) / "claims.csv", rows, CLAIMS, chapter)


def _replace(path, rows, columns, chapter):
    import pandas as pd

    kept = [row for row in read(path) if row["chapter"] != chapter]
    table = pd.DataFrame([*kept, *({**row, "chapter": chapter} for row in rows)], columns=columns)
    table.sort_values("chapter", kind="stable").to_csv(path, index=False, float_format="%.6g")


def read_stamps(gpu):
    """Return {chapter: stamp} of one GPU; {} where it has none."""
    path = folder_of(gpu) / "stamps.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def folder_of(gpu):
    """Return the folder of a GPU's results, given the name that the driver gives it."""
    return FOLDER / slug(gpu)


def slug(name):
    """Turn 'NVIDIA H100 80GB HBM3' into 'nvidia_h100_80gb_hbm3'."""
    return re.sub(r"\W+", "_", name.lower()).strip("_")

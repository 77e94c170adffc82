"""The page 'The emulator beside the GPU' is made from committed tables when the book is built."""

import pandas as pd
from gpus import grid

import warpemu

PAGE = "emulator_and_gpu"
NOTHING = ["not seen", "not ended", "not run"]
CHECKERS = ["emulator", "memcheck", "racecheck", "initcheck", "synccheck"]


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        source[0] += counts(app.srcdir) + faults(app.srcdir) + coverage()


def read(folder, pattern):
    return pd.concat([pd.read_csv(path) for path in sorted(folder.glob(pattern))])


def counts(book):
    """How many launches agree, by topic, and the ones that do not."""
    rows = read(book / "results", "*/counters/*.csv").fillna({"defines": ""})
    apart = read(book / "validation", "differences.csv")
    rows["launch"] = rows[["kernel", "defines", "size"]].agg(
        lambda words: " ".join(filter(None, words)), axis=1
    )
    keys = set(apart[["gpu", "launch"]].itertuples(index=False, name=None))
    rows["equal"] = [
        k not in keys for k in rows[["gpu", "launch"]].itertuples(index=False, name=None)
    ]
    rows["Kernels of"] = (
        rows["kernel"].str.split("/").str[0].replace("golden", "patterns of access")
    )
    table = rows.groupby(["gpu", "Kernels of"])["equal"].agg(["size", "sum"]).reset_index()
    total = f"{rows['equal'].sum()} of {len(rows)} launches agree in every count"
    return f"""
## What it counts

Requests and sectors of global loads and stores, requests of global atomics, wavefronts and bank
conflicts of shared loads and stores: {total} ({rows["equal"].mean():.1%}). Kernels
were launched at two sizes or more, one of them odd where they take odd ones; the patterns are small
kernels, each one way to ask for memory. What `wgmma` itself reads of shared memory is not among the
counts, because the emulator does not count it.

{grid(table.set_axis(["GPU", "Kernels of", "Launches", "Equal in every count"], axis=1))}
The launches that differ, and why:

{apart_list(apart)}

The emulator counts PTX instructions; the GPU runs machine code that is made from them. Instruction
counts therefore differ, and this book never compares them.
"""


def apart_list(apart):
    """One item a launch: the counts that differ, then the cause."""
    items = []
    for (gpu, launch, cause), part in apart.groupby(["gpu", "launch", "cause"], sort=False):
        counts = "; ".join(
            f"{r.metric.replace('_', ' ')}: GPU {r.hardware}, emulator {r.emulator}"
            for r in part.itertuples()
        )
        items.append(f"- `{launch}` on {gpu} ({counts}): {cause}.")
    return "\n".join(items)


def faults(book):
    """What each checker found: by kind, then one by one."""
    rows = read(book / "validation", "faults_*.csv")
    correct = rows["kind"] == "none"
    said = ~rows[~correct].set_index("kind")[CHECKERS].isin(NOTHING)
    found = said.groupby(level=0, sort=False)
    table = found.sum().assign(**{"planted": found.size()})[["planted", *CHECKERS]].reset_index()
    alarms = (~rows.loc[correct, CHECKERS].isin(NOTHING)).sum().sum()
    clean = read(book / "validation", "clean_*.csv")
    topics = set(clean["kernel"].str.partition("/")[0])
    each = rows[["fault", "kind", "line", *CHECKERS]].replace({"kind": {"none": "correct"}})
    return f"""
## What it finds wrong

{(~correct).sum()} kernels with one planted fault each, and {correct.sum()} correct ones that come
close to a fault, each run once under each checker, on: {", ".join(rows["gpu"].unique())}. The table
counts the faulty kernels on which a checker reported something; on the correct ones there were
{alarms} reports.

{grid(table)}
The faults were chosen while the emulator was written, so that it finds all of them says less than
what the others miss: compute-sanitizer has no check for shared memory that nobody wrote, nor for
races between blocks. It watches the machine code of whole programs, libraries included; the
emulator watches the PTX of one small launch. Use both.

Of the book's own kernels, {clean["kernel"].nunique()} ran under memcheck and racecheck, on:
{", ".join(clean["gpu"].unique())} (topics: {", ".join(sorted(topics))}). There were
{clean[["memcheck", "racecheck"]].sum().sum()} reports. In the emulator a test runs all of them.

:::{{dropdown}} Each kernel, and what each checker said
'found': at the faulty line. 'line 4': at that line only. 'no line': something, without a line. 'not
ended': nothing, and the kernel had to be stopped.

{grid(each)}
:::
"""


def coverage():
    """The instructions that the emulator knows, by the file that holds them."""
    rows = pd.DataFrame(warpemu.coverage(), columns=["File", "Instruction", "Modifiers", "Types"])
    rows["File"] = "ops/" + rows["File"] + ".py"
    for column in rows:
        rows[column] = code(rows[column]).where(rows[column] != "", "")
    return f"""
## What it knows

The instructions of PTX that the emulator executes, with the file of `emulator/warpemu/` that holds
them. It refuses any other, and any modifier or type that is not listed, with the name and the line.

:::{{dropdown}} {len(rows)} instructions
{grid(rows)}
:::
"""


def code(words):
    return "`" + words + "`"

"""What compute-sanitizer reports of the book's own kernels, which should be nothing.

    python tools/sanitize_kernels.py [topic ...]      on a machine with a GPU and compute-sanitizer

Each kernel's launches in kernels/<topic>/counters.txt run under memcheck and under racecheck, a
process for each kernel and tool, a few at a time. The topics' rows in
book/validation/clean_<gpu>.csv are replaced: how many launches a kernel made, and how many errors
each tool counted. Where a tool gives no summary, or a launch did not end, its output is printed and
nothing is written.
"""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
from sanitize_faults import AT_ONCE, FOLDER, run, sanitizer

from warpbook import results
from warpbook.launch import lines, source

TOOLS = ("memcheck", "racecheck")
PATIENCE = 300  # seconds
LAUNCH = """\
import sys
from warpbook.launch.lines import launch_line
for line in sys.argv[1:]:
    launch_line(line).run()
print("launched")
"""


def launches(*topics):
    """{kernel: its lines}, of the topics named or of all."""
    there, kernels = lines.topics(), {}
    for topic in topics or there:
        if topic not in there:
            raise LookupError(f"no counters.txt for {topic}. There is one for: {', '.join(there)}.")
        for launch in lines.listed(there[topic]):
            words = " ".join(filter(None, (launch.kernel, launch.defines, launch.size)))
            kernels.setdefault(launch.kernel, []).append(words)
    return kernels


def watch(tool, listed):
    """Run the lines under one tool; return what it printed."""
    return run([sanitizer(), "--tool", tool, sys.executable, "-c", LAUNCH, *listed], PATIENCE)[1]


def errors(output):
    """The number of errors, or of hazards, in a tool's summary.

    Raises RuntimeError, with the output, without a summary, or where the launches did not all end.
    """
    found = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", output)
    if not found or "launched" not in output:
        raise RuntimeError(f"compute-sanitizer did not see all launches:\n{output}")
    if int(found[1]):
        print(output)
    return int(found[1])


def main(topics):
    from warpbook import device

    kernels, gpu = launches(*topics), device().name
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = {
            (kernel, tool): pool.submit(watch, tool, listed)
            for kernel, listed in kernels.items()
            for tool in TOOLS
        }
        rows = [
            {"gpu": gpu, "kernel": kernel, "launches": len(listed)}
            | {tool: errors(jobs[kernel, tool].result()) for tool in TOOLS}
            for kernel, listed in kernels.items()
        ]
    table, path = pd.DataFrame(rows), FOLDER / f"clean_{results.slug(gpu)}.csv"
    if topics and path.exists():  # else every row is new
        kept = pd.read_csv(path)
        there = kept["kernel"].isin(source.variants()) & ~kept["kernel"].isin(kernels)
        table = pd.concat([kept[there], table])
    table.sort_values("kernel").to_csv(path, index=False)
    print(f"{pd.DataFrame(rows).to_string()}\n{path}: {len(table)} kernels")


if __name__ == "__main__":
    main(sys.argv[1:])

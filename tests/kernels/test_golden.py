"""Each listed launch, emulated: the sanitizer finds no fault in it, and it counts what the GPUs
counted, as book/results/<gpu>/counters/ has it.
"""

import csv
import math
from functools import cache

import launch_helpers
import pandas as pd
import pytest
from helpers import BOOK, TESTS
from launch_helpers import name

from warpbook import results
from warpbook.launch import source
from warpbook.launch.lines import listed
from warpbook.measure import profiler

GOLDEN = (
    TESTS / "golden" / "counters.txt"
)  # patterns: small kernels, each one way to ask for memory
FOLDERS = sorted(results.FOLDER.glob("*/counters"))
COMPARED = [
    "global_ld_requests",
    "global_ld_sectors",
    "global_st_requests",
    "global_st_sectors",
    "shared_ld_wavefronts",
    "shared_st_wavefronts",
    "shared_ld_conflicts",
    "shared_st_conflicts",
    "global_atomic_requests",
]
DIFFERENCES = BOOK / "validation" / "differences.csv"
SHARE = 0.98  # of the rows agree in every count but for waits
EXACT = 0.95  # agree in every count
VARIES, VARIATION = "varies", 0.05  # in place of a count; by how much of the GPU's
CHANCE = "how many they are differs from run to run"  # how such a row's cause ends


@cache
def launches():
    """Every launch of every counters.txt, by line."""
    return launch_helpers.launches() | {name(launch): launch for launch in listed(GOLDEN)}


def threads(item):
    """How many threads an item of ``launches`` has."""
    _, launch = item
    return math.prod(launch.grid) * math.prod(launch.block)


@cache
def table(folder):
    """The hardware's counts, one row a launch, by line."""
    read = pd.concat([profiler.read(path) for path in sorted(folder.glob("*.csv"))])
    index = [name(row) for row in read[profiler.INDEX].itertuples()]
    read = read.set_axis(index).rename(columns={m: n for n, m in profiler.METRICS.items()})
    read["global_atomic_requests"] = read["global_atom_requests"] + read["global_red_requests"]
    return read


@cache
def emulated(line):
    """The emulator's counts of one launch, by name."""
    if line in launch_helpers.launches():
        report = launch_helpers.emulated(line)
    else:
        report = launches()[line].emulate(trace=True, sanitize=False)  # patterns may race
    report.global_atomic_requests = report.atomics["global"]  # of shared ones ncu counts none
    return {name: getattr(report, name) for name in COMPARED}


def different(hardware, line):
    """{(line, metric): (hardware, emulator)} of the counts that differ in one row."""
    counts = emulated(line)
    return {
        (line, name): (int(hardware[name]), counts[name])
        for name in COMPARED
        if not math.isnan(hardware[name]) and hardware[name] != counts[name]
    }


@cache
def rows(gpu):
    """The rows of the list of differences, as dicts, of one GPU."""
    with DIFFERENCES.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["gpu"] == gpu]


@cache
def known(gpu):
    """{(line, metric): (hardware, emulator)} of the listed differences of one GPU.

    emulator is None where the list says that the count varies from one compilation to the next.
    """
    return {
        (row["launch"], row["metric"]): (
            int(row["hardware"]),
            None if row["emulator"] == VARIES else int(row["emulator"]),
        )
        for row in rows(gpu)
    }


def by_chance(gpu):
    """The lines of one GPU whose counts another run finds otherwise, as the list says."""
    return {
        row["launch"]
        for row in rows(gpu)
        if row["emulator"] == VARIES or row["cause"].endswith(CHANCE)
    }


def room(line, metric, listed):
    """By how much a count that varies may differ from the GPU's; conflicts are some of the
    wavefronts, and may be none.
    """
    of = line, metric.replace("conflicts", "wavefronts")
    return VARIATION * listed.get(of, listed[line, metric])[0]


def surprises(found, listed):
    """What is not as it is listed, one sentence each."""
    return [
        f"{line}: {metric} is {hardware} on the GPU, {emulator} in the emulator, and not listed"
        for (line, metric), (hardware, emulator) in found.items()
        if listed.get((line, metric)) not in ((hardware, emulator), (hardware, None))
        or abs(emulator - hardware) > room(line, metric, listed)
        and listed[line, metric][1] is None
    ] + [
        f"{line}: {metric} agrees now; take it off the list"
        for (line, metric), (_, emulator) in listed.items()
        if emulator is not None and (line, metric) not in found
    ]


def rows_of(found):
    """{line: {metric: (hardware, emulator)}} of differences."""
    rows = {}
    for (line, metric), pair in found.items():
        rows.setdefault(line, {})[metric] = pair
    return rows


def only_waits(found):
    """Does a row differ only in wavefronts of shared memory that the GPU counted again, as
    conflicts, because another access went first? How many do is a matter of time. found: as in
    ``rows_of``.
    """
    more = {name: hardware - emulator for name, (hardware, emulator) in found.items()}
    return (
        all(
            more.pop(f"shared_{kind}_wavefronts", 0)
            == (extra := more.pop(f"shared_{kind}_conflicts", 0))
            and extra >= 0
            for kind in ("ld", "st")
        )
        and not more
    )


def gpu(folder):
    """The name that the driver gives to the GPU of a folder."""
    return table(folder)["gpu"].iloc[0]


def of(folder):
    """The GPU's folder is its test's id."""
    return folder.parent.name


def disagreements(line):
    """What of a launch is not as a GPU counted it and not as it is listed, one sentence each."""
    found = []
    for folder in FOLDERS:
        if line in table(folder).index:
            listed = {key: pair for key, pair in known(gpu(folder)).items() if key[0] == line}
            found += surprises(different(table(folder).loc[line], line), listed)
    return found


# The launch with the fewest threads of each kernel.
SMALLEST = {
    launch.kernel: line for line, launch in sorted(launches().items(), key=threads, reverse=True)
}


@pytest.mark.parametrize("line", SMALLEST.values())
def test_a_launch_of_each_kernel_has_no_fault_and_the_counts_of_the_gpus(line):
    """The sanitizer looks at all launches of the book that are small."""
    assert emulated(line) and disagreements(line) == []


@pytest.mark.parametrize("line", [x for x in launches() if x not in SMALLEST.values()])
def test_its_other_launches_have_no_fault_and_the_counts_of_the_gpus(line):
    assert emulated(line) and disagreements(line) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=of)
def test_nearly_all_rows_agree(folder):
    """All but those that are listed as different. Those whose counts vary are left out, above and
    below the line: which of them differ today is chance.
    """
    listed, varying = known(gpu(folder)), by_chance(gpu(folder))
    launched = len(set(table(folder).index) - varying)
    apart = {line: found for line, found in rows_of(listed).items() if line not in varying}
    more = [line for line, found in apart.items() if not only_waits(found)]
    assert 1 - len(apart) / launched >= EXACT, sorted(apart)
    assert 1 - len(more) / launched >= SHARE, sorted(more)


def test_what_waits_add_by_chance_is_added_to_shared_memory():
    """Never a count that the emulator has and the GPU has not, and none of global memory."""
    for folder in FOLDERS:
        for row in rows(gpu(folder)):
            if row["cause"].endswith(CHANCE):
                assert row["metric"].startswith("shared_"), row
                assert int(row["hardware"]) > int(row["emulator"]), row


@pytest.mark.parametrize("folder", FOLDERS, ids=of)
def test_every_listed_difference_is_of_a_launch(folder):
    assert {line for line, _ in known(gpu(folder))} <= launches().keys() & set(table(folder).index)


# Topics whose counters no GPU has recorded yet; the next recording takes them off.
WAITING: set[str] = set()


def test_every_listed_launch_is_recorded():
    recorded = {line for folder in FOLDERS for line in table(folder).index}
    again = "on a machine with a GPU: python -m warpbook profile"
    missing = {line.split("/")[0] for line in launches().keys() - recorded}
    assert missing == WAITING, again


def test_every_difference_has_a_cause():
    with DIFFERENCES.open(encoding="utf-8") as file:
        assert [row for row in csv.DictReader(file) if not row["cause"]] == []


def test_every_gpu_is_compared():
    assert FOLDERS, "no book/results/<gpu>/counters: the emulator is compared with nothing"


# Which lanes of a WMMA fragment load what is the compiler's choice, which PTX does not show. How
# often a thread asks for a flag is chance. 03_serialised touches sums of products under way, which
# the sanitizer refuses; it shows what the compiler makes of that.
UNCOUNTED = {
    "tensor_cores/02_wmma",
    "async_copies/11_message",
    "async_copies/12_busy",
    "async_copies/15_both",
    "hopper/03_serialised",
}


@pytest.mark.parametrize("variant", source.variants())
def test_every_kernel_is_planned_at_two_sizes_one_of_them_odd(variant):
    """Odd: an array with an odd number of elements, or an odd number among the arguments.

    A kernel that wants a multiple of a number, and so refuses odd ones, has none.
    """
    its_own = [launch for launch in launches().values() if launch.kernel == variant]
    if variant in UNCOUNTED:
        return
    assert len({launch.size for launch in its_own}) >= 2, f"list {variant} in its counters.txt"
    refuses = any(number.isdigit() for number in its_own[0].parsed.multiples.values())
    assert refuses or any(odd(launch) for launch in its_own)


def odd(launch):
    """Whether a launch has a size that no warp and no tile divides."""
    sizes = [math.prod(shape) for shape in launch.shapes.values()]
    return any(size % 2 for size in [*sizes, *launch.values.values()] if size > 1) or sizes == [1]


# Planted faults.


def test_a_count_that_differs_is_found():
    line = "golden/global_load AT=2*i n=77"
    hardware = dict(emulated(line))
    assert different(hardware, line) == {}
    hardware["global_ld_sectors"] += 1
    found = different(hardware, line)
    assert found == {(line, "global_ld_sectors"): (21, 20)}
    assert "21 on the GPU, 20 in the emulator" in surprises(found, {})[0]
    assert surprises(found, found) == []
    assert "take it off" in surprises({}, found)[0]


def test_a_count_that_varies_may_agree_or_be_near():
    row = ("matmul/16_sgemm k=32", "shared_ld_wavefronts")
    listed = {row: (1000, None)}
    assert surprises({}, listed) == [] == surprises({row: (1000, 1045)}, listed)
    assert surprises({row: (1000, 1055)}, listed) and surprises({row: (999, 1000)}, listed)


@pytest.mark.parametrize(
    "found, waits",
    [
        ({"shared_ld_wavefronts": (36, 33), "shared_ld_conflicts": (3, 0)}, True),
        ({"shared_ld_wavefronts": (36, 33)}, False),  # more words, or wider ones
        ({"shared_ld_wavefronts": (33, 36), "shared_ld_conflicts": (0, 3)}, False),
        ({"shared_st_wavefronts": (9, 8), "shared_st_conflicts": (2, 0)}, False),
        ({"shared_ld_wavefronts": (9, 8), "shared_st_conflicts": (1, 0)}, False),
        ({"global_ld_sectors": (9, 8)}, False),
    ],
)
def test_a_row_that_differs_only_in_waits(found, waits):
    assert only_waits(found) == waits
    assert rows_of({("a", k): v for k, v in found.items()}) == {"a": found}

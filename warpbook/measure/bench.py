"""bench: contestants timed side by side, beside what the hardware allows."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pandas as pd

from warpbook import results
from warpbook.gpu.clock import timed
from warpbook.gpu.device import NAN, device
from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import observed

Size = TypeVar("Size")
CLOCK = "sm_clock_mhz"
ROUND_SECONDS, MEMORY_SHARE = 5.0, 0.8  # of what ``feasible`` keeps, the most


def bench(
    bytes: float | dict | None = None,
    flops: float | dict | None = None,
    size: object = None,
    **contestants: Callable[[], object],
) -> pd.DataFrame:
    """Time each contestant, a function of no arguments that launches kernels, side by side.

    bytes, flops: the least the task must move and compute, for the rates and for ``of_bound``,
    the share of the time that ``device()``'s measured rates allow; a number, or a dict by
    contestant. size: what book/results calls this run; without it the results keep nothing.

    Rounds: in each, every contestant runs once, in an order drawn anew, so that a drifting clock
    hits all alike and nobody always follows the same one; the same call draws the same orders.
    There are 10 to 40 of them in about a second, and 3 where a round takes more than five seconds;
    what takes longer than a second by itself runs once. A contestant whose kernel this GPU cannot
    run has times of NaN.
    Before each run a buffer larger than the L2 is read, so that the run begins cold; the GPU is
    busy with that while the host prepares the launch, so that the host's time is not measured. The
    cost of the two CUDA events themselves, measured on an empty kernel, is subtracted.
    Returns a DataFrame, to four digits: ms (median), gb_per_s, gflop_per_s, of_bound, p20_ms,
    p80_ms. Three runs of five lie between p20_ms and p80_ms, which is the spread: how far apart
    single runs of this table are, with the drift of the clock in it. It is not the error of the
    median, and says nothing about another table. Compare medians within one table, where a kernel
    differs from itself by some 0.3 %; between two tables of a page it differed by 3.5 to 10 %.
    table.attrs["sm_clock_mhz"] is a dict by contestant: the SM clock at which its runs ended, the
    median of what a kernel of one thread counted behind each of them, outside the time. Where it is
    lower than another's, power is a part of the difference. As a column:
    table.assign(mhz=pd.Series(table.attrs["sm_clock_mhz"])).
    Without a GPU each runs once in the emulator: ptx_instructions and sectors, and times of NaN.
    """
    if not contestants:
        raise TypeError("bench needs contestants: bench(naive=lambda: naive(grid, block, ...)).")
    work = {n: (_amount(bytes, n, "bytes"), _amount(flops, n, "flops")) for n in contestants}
    rows = timed(contestants) if GPU else _counted(contestants)
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("contestant")
    seconds = table["ms"] / 1e3
    if bytes is not None:
        table["gb_per_s"] = [work[n][0] / 1e9 for n in table.index] / seconds
    if flops is not None:
        table["gflop_per_s"] = [work[n][1] / 1e9 for n in table.index] / seconds
    if bytes is not None or flops is not None:
        table["of_bound"] = [bound_ms(*work[n]) for n in table.index] / table["ms"]
    spread = ["p20_ms", "p80_ms"]
    table = table[[c for c in table if c not in spread] + spread]  # what a phone cuts off, last
    table = table.apply(lambda column: column.map(_four_digits))
    if size is not None:
        results.add(table, size, {n: bound_ms(*w) for n, w in work.items()})
    table.attrs[CLOCK] = table.pop(CLOCK).to_dict()  # kept, and no page's table gets wider
    return table


def feasible(
    sizes: Iterable[Size],
    memory: Callable[[Size], float],
    flops: Callable[[Size], float],
    seconds: float = ROUND_SECONDS,
) -> list[Size]:
    """Return those of the sizes that this GPU can hold and work through; say which it cannot.

    memory: the bytes that a size needs at once; flops: what one round of all contestants computes.
    A size is left out if it needs more than 80 % of the GPU's memory, or if a round takes longer
    than ``seconds`` at the GPU's measured rate of float32 multiply-adds. Without a GPU all stay.
    """
    sizes = list(sizes)
    if not GPU:
        return sizes
    most, rate = MEMORY_SHARE * cp.cuda.Device().mem_info[1], device().fma_tflop_per_s * 1e12
    kept = [s for s in sizes if memory(s) <= most and flops(s) <= seconds * rate]
    left = ", ".join(str(s) for s in sizes if s not in kept)
    if left:
        print(f"Left out, too large or too slow for this GPU: {left}.")
    return kept


def bound_ms(bytes: float | None, flops: float | None) -> float:
    """The time in ms that this GPU's measured rates allow for so many bytes and flops."""
    d = device()
    return max((bytes or 0) / (d.copy_gb_per_s * 1e6), (flops or 0) / (d.fma_tflop_per_s * 1e9))


def _four_digits(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _amount(amount, name, what):
    """The number for one contestant, of one for all or of a dict by contestant."""
    if not isinstance(amount, dict):
        return amount
    if name not in amount:
        raise KeyError(f"bench: {what} has no entry for '{name}'; it has {', '.join(amount)}.")
    return amount[name]


def _counted(contestants):
    rows = {}
    for name, run in contestants.items():
        with observed() as reports:
            run()
        rows[name] = {
            "ms": NAN,
            "p20_ms": NAN,
            "p80_ms": NAN,
            CLOCK: NAN,
            "ptx_instructions": sum(r.instructions for r in reports),
            "sectors": sum(r.global_ld_sectors + r.global_st_sectors for r in reports),
        }
    return rows

"""Numbers in sentences and tables: one way to write a number, and one plural."""

import re

# The space between a number and its unit, at which no line ends.
UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMGT]i?B|[mµμn]s|[GT](?:B/s|FLOP/s|Hz))(?!\w))")


def number(value: float, figures: int = 4) -> str:
    """Write all of a whole number and so many figures of another: 268,435,456 and 1.313."""
    if value != value or value in (float("inf"), float("-inf")):
        return f"{value:g}"
    short = value if value == int(value) else float(f"{value:.{figures}g}")
    return f"{int(short):,}" if short == int(short) else f"{short:,}"


def counted(count: float | str, thing: str) -> str:
    """Write '1 sector', '2 sectors' or '3.5 passes'. count: a number, or the text of one."""
    ends = "" if str(count) == "1" else "es" if thing.endswith("s") else "s"
    return f"{count} {thing}{ends}"

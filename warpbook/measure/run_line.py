"""One launch of a kernel of the book, from a launch line: checked, then timed or counted."""

from warpbook.launch import formulas, header, observers
from warpbook.launch.backend import GPU, cp
from warpbook.launch.lines import Launch, launch_line
from warpbook.launch.wording import number
from warpbook.measure.bench import bench
from warpbook.measure.checks import check
from warpbook.measure.tracing import Trace

TOLERANCE = {2: 1e-2, 4: 1e-4, 8: 1e-10}  # relative, by the bytes of a float


def run_line(line: str) -> str:
    """Launch what a line says, such as 'coalescing/01_strided n=500 STRIDE=4'; return the report.

    It says the launch, how its result was checked, and gives a table: the time on a GPU, the counts
    in the emulator. Raises what ``launch_line`` and the launch raise, and AssertionError for a
    result that is not what the formula in the kernel's header gives.
    """
    launch = launch_line(line)
    kernel, args = launch.load(), launch.args()
    before = {name: cp.asnumpy(a).copy() for name, a in _arrays(launch, args).items()}

    def run():
        kernel(launch.grid, launch.block, *args, shared_bytes=launch.shared_bytes)

    with observers.observed() as reports:
        run()
    report = reports[-1]
    if isinstance(report, observers.NotRun):
        return str(report)
    said = _checked(launch, before, _arrays(launch, args))
    if GPU:
        cost = _cost(launch)
        table = bench(cost.get("bytes"), cost.get("flops"), **{kernel.name: run}).T.to_string()
    else:
        table = Trace(kernel, report).counts.map(number).to_string()
    extents = f"grid {launch.grid}, block {launch.block}"
    shared = f", {launch.shared_bytes} bytes of shared memory" if launch.shared_bytes else ""
    where = "on the GPU" if GPU else "in the emulator"
    return f"{kernel.name} {where}: {extents}{shared}\n{said}\n\n{table}"


def _arrays(launch: Launch, args: list) -> dict:
    declared = zip(launch.parsed.parameters, args, strict=True)
    return {p.name: value for p, value in declared if p.pointer}


def _checked(launch, before, after):
    """Compare the result with the header's formula; say what was checked, or why nothing was."""
    try:
        wants = formulas.reference(launch.parsed.text, before, launch.numbers())
    except formulas.Unread as why:
        return f"Nothing was checked: {why}."
    for name, want in wants.items():
        got = cp.asnumpy(after[name])
        tolerance = TOLERANCE.get(got.dtype.itemsize, 1e-4)
        try:
            check(got, want, rtol=tolerance, atol=tolerance)
        except AssertionError as wrong:
            raise AssertionError(
                f"{name} is not what its header's formula gives: {wrong}"
            ) from None
    return f"{', '.join(wants)}: every element is what the header's formula gives."


def _cost(launch):
    """{'bytes': ..., 'flops': ...} of what the header's 'Cost:' says with a formula."""
    found = {}
    for part in launch.parsed.header.fields.get("Cost", "").split(", "):
        formula, _, what = part.rpartition(" ")
        try:
            (value,) = header.evaluate(formula, launch.numbers())
        except ValueError:
            continue
        if what in ("bytes", "flops") and value:
            found[what] = value
    return found

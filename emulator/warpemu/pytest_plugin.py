"""A pytest plugin: a test launches a .cu file, fails on its kernel's faults, and holds a budget.

    def test_scale(cuda):
        scale = cuda("scale.cu")
        a = np.arange(1000, dtype=np.float32)
        report = scale((4,), (256,), a, np.float32(2), np.int32(1000))
        assert a[3] == 6
        assert report.global_ld_sectors <= 1.1 * 1000 / 8

pytest finds it where warpemu is installed; elsewhere, ``-p warpemu.pytest_plugin``. A test fails
with the sentence of the first Finding and the lines of the .cu around it, and on GitHub with an
annotation at that line.
"""

import os
import re
from pathlib import Path

import pytest

import warpemu

AROUND = 2  # lines shown before and after a faulty one


class Kernel:
    """One kernel of a .cu file, to be launched in the emulator."""

    def __init__(self, path, program):
        self.path, self.program = path, program

    def __call__(self, grid, block, *args, **options):
        """Launch, count, look for faults; return the report.

        grid, block: tuples of one to three integers; args: NumPy arrays and scalars, in the order
        of the parameters; options: those of Program.launch, such as shared_bytes=4096.
        Raises warpemu.Finding for a fault in the kernel.
        """
        try:
            return self.program.launch(grid, block, list(args), **{"trace": True} | options)
        except warpemu.Finding as finding:
            finding.path = self.path
            raise


class Cuda:
    """What the fixture ``cuda`` gives: call it with a file's name."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name, kernel="", defines=(), arch="compute_90"):
        """Compile a .cu file; return its Kernel.

        name: a path, from the test's folder; kernel: which one, where the file has several
        ``extern "C" __global__`` functions; defines: {name: value}; arch: such as 'compute_80'.
        Raises FileNotFoundError, LookupError where the kernel is not in the file, and
        warpemu.nvrtc.CompileError.
        """
        path = Path(self.folder, name)
        text = path.read_text(encoding="utf-8")
        options = tuple(f"-D{key}={value}" for key, value in dict(defines).items())
        options = ("-lineinfo", warpemu.nvrtc.STANDARD, *warpemu.nvrtc.headers(), *options)
        ptx = warpemu.nvrtc.ptx(text, path.name, options, arch)
        entries = re.findall(r"\.entry\s+(\w+)", ptx)
        if not kernel and len(entries) == 1:
            (kernel,) = entries
        if kernel not in entries:
            said = f"has {', '.join(entries)}" if entries else 'has no extern "C" kernel'
            asked = f"no kernel '{kernel}'" if kernel else "which kernel?"
            raise LookupError(f"{path.name}: {asked} The file {said}.")
        return Kernel(path, warpemu.compile(ptx, kernel, path.name, text))


@pytest.fixture
def cuda(request):
    """Call it with the name of a .cu file, from the test's folder: cuda("scale.cu") is a kernel."""
    return Cuda(request.path.parent)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Say the finding and its lines, in place of the emulator's own calls."""
    outcome = yield
    finding = call.excinfo and call.excinfo.value
    path = getattr(finding, "path", None)
    if path is None:
        return
    report = outcome.get_result()
    report.longrepr = f"{finding}\n\n{_excerpt(path, finding.line)}"
    report.user_properties.append(("finding", [str(path), finding.line or 1, str(finding)]))


def pytest_terminal_summary(terminalreporter):
    """On GitHub, put each finding beside its line of the .cu."""
    if not os.environ.get("GITHUB_ACTIONS"):
        return
    for report in terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == "finding":
                path, line, said = value
                where = os.path.relpath(path, os.environ.get("GITHUB_WORKSPACE", "."))
                said = said.replace("%", "%25").replace("\n", "%0A")
                terminalreporter.write_line(f"::error file={where},line={line}::{said}")


def _excerpt(path, line):
    """The lines of the .cu around a faulty one, which is marked."""
    if not line:
        return ""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = max(1, line - AROUND)
    return "\n".join(
        f"{'>' if number == line else ' '} {number:4} {text}"
        for number, text in enumerate(lines[first - 1 : line + AROUND], first)
    )

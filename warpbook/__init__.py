"""Warp by Warp's helper package: load a .cu file, launch it, check it, time it, look inside it.

Everything that a chapter, an exercise's ``grading.py`` or a reader may import is listed in
``PUBLIC`` and comes from ``warpbook`` itself: ``from warpbook import load, bench``. The book's page
'The package' documents each name. The rooms behind it, from the bottom up, each importing only from
those above it in this list:

    profiles     what each model of GPU has
    emulator/    PTX on NumPy
    launch/      a .cu file becomes a kernel: source, compiler, arguments, launch
    gpu/         the device itself: its clock, its rates, its occupancy, its L2 cache
    results      the store of measurements, by GPU
    display/     listings, figures, plots, pictures of requests, figures to play with
    measure/     bench, check, claim, trace, the profiler's counters
    recording/   chapters executed on a GPU, and their stamps
    grading/     exercises, grades, and the child process that runs a student's kernel
"""

from importlib import import_module

# The public names, by the module that holds them. They are imported at first use: the grader's
# child process starts in a tenth of the time without the plots, and `doctor` can say what is
# missing where a library is.
PUBLIC = {
    "launch.backend": ("cp", "pick"),
    "launch.kernel": ("ceil_div", "load", "load_path"),
    "launch.nvrtc": ("CompileError", "cubin", "ptx"),
    "launch.lines": ("launch_line",),
    "launch.tensor_maps": ("tensor_map",),
    "launch.triton": ("triton_kernel",),
    "emulator": ("Finding",),
    "emulator.rules": ("wavefronts",),
    "gpu.device": ("device",),
    "gpu.occupancy": ("occupancy", "ptxas", "resources"),
    "profiles": ("SM_LIMITS",),
    "display.listings": ("diff", "show"),
    "display.machine_code": ("sass",),
    "display.figures": ("COLOURS", "GRID", "INK", "figure_of"),
    "display.requests": ("draw_banks", "draw_sectors"),
    "display.explore": ("explore",),
    "display.plots": ("ladder", "roofline"),
    "display.predictions": ("predict", "reveal"),
    "measure.bench": ("bench", "feasible"),
    "measure.checks": ("check", "poisoned"),
    "measure.claims": ("claim",),
    "measure.tracing": ("trace",),
    "measure.own_kernels": ("trace_file",),
    "measure.peers": ("peer",),
    "measure.profiler": ("METRICS", "STALLS", "committed_counters", "profile"),
    "grading.draws": ("drawn",),
    "grading.technique": ("forbids", "least", "most", "requires"),
    "grading.exercises": ("Case", "exercise", "out", "start"),
    "grading.grade": ("grade",),
}
# Two modules are public as a whole, with a few functions each: ``cpu.load``, ``cpu.bench`` ...
MODULES = {"cpu": "launch.cpu", "l2_windows": "gpu.l2_windows"}

__all__ = sorted([*(name for names in PUBLIC.values() for name in names), *MODULES])


def __getattr__(name):
    if name in MODULES:
        return import_module(f"warpbook.{MODULES[name]}")
    for module, names in PUBLIC.items():
        if name in names:
            return getattr(import_module(f"warpbook.{module}"), name)
    raise AttributeError(f"warpbook has no '{name}'. It has: {', '.join(__all__)}.")


def __dir__():
    return __all__

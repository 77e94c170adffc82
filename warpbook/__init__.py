"""Warp by Warp's helper package: load a .cu file, launch it, check it, time it, look inside it.

Everything that a chapter, an exercise's ``grading.py`` or a reader may import is listed in
``PUBLIC`` and comes from ``warpbook`` itself: ``from warpbook import load, bench``. The book's page
'The package' documents each name. The rooms behind it, from the bottom up, each importing only from
those above it in this list. Below them all lies the emulator, ``warpemu``, a package of its own:

    profiles     what each model of GPU has
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
    "warpbook.launch.backend": ("cp", "pick"),
    "warpbook.launch.kernel": ("ceil_div", "load", "load_path"),
    "warpemu.nvrtc": ("CompileError", "cubin", "ptx"),
    "warpbook.launch.lines": ("launch_line",),
    "warpbook.launch.tensor_maps": ("tensor_map",),
    "warpbook.launch.triton": ("triton_kernel",),
    "warpemu": ("Finding",),
    "warpemu.rules": ("wavefronts",),
    "warpbook.gpu.device": ("device",),
    "warpbook.gpu.occupancy": ("occupancy", "ptxas", "resources"),
    "warpbook.profiles": ("SM_LIMITS",),
    "warpbook.display.listings": ("diff", "show"),
    "warpbook.display.machine_code": ("operand_banks", "sass"),
    "warpbook.display.figures": ("COLOURS", "GRID", "INK", "figure_of"),
    "warpbook.display.requests": ("draw_banks", "draw_sectors"),
    "warpbook.display.explore": ("explore",),
    "warpbook.display.plots": ("ladder", "roofline"),
    "warpbook.display.predictions": ("predict", "reveal"),
    "warpbook.measure.bench": ("bench", "feasible"),
    "warpbook.measure.checks": ("check", "poisoned"),
    "warpbook.measure.claims": ("claim",),
    "warpbook.measure.tracing": ("trace",),
    "warpbook.measure.own_kernels": ("trace_file",),
    "warpbook.measure.peers": ("peer",),
    "warpbook.measure.profiler": ("METRICS", "STALLS", "committed_counters", "profile"),
    "warpbook.grading.draws": ("drawn",),
    "warpbook.grading.technique": ("forbids", "least", "most", "requires", "through"),
    "warpbook.grading.exercises": ("Case", "exercise", "out", "start"),
    "warpbook.grading.grade": ("grade",),
}
# Two modules are public as a whole, with a few functions each: ``cpu.load``, ``cpu.bench`` ...
MODULES = {"cpu": "warpbook.launch.cpu", "l2_windows": "warpbook.gpu.l2_windows"}

__all__ = sorted([*(name for names in PUBLIC.values() for name in names), *MODULES])


def __getattr__(name):
    if name in MODULES:
        return import_module(MODULES[name])
    for module, names in PUBLIC.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"warpbook has no '{name}'. It has: {', '.join(__all__)}.")


def __dir__():
    return __all__

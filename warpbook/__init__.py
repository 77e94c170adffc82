"""Warp by Warp's helper package: load a .cu file, launch it, check it, time it, look inside it."""

from importlib import import_module

# Each public name and its module, imported at first use: the grader's child process starts in a
# tenth of the time without the plots, and `doctor` can say what is missing where a library is.
_HOMES = {
    "backend": ("cp", "pick"),
    "checks": ("check", "claim", "poisoned"),
    "exercise": ("start",),
    "grading": ("grade",),
    "kernel": ("load",),
    "plots": ("ladder", "roofline"),
    "render": ("diff", "show"),
    "timing": ("bench", "device"),
    "tracing": ("trace",),
}

__all__ = [
    "bench", "check", "claim", "cp", "device", "diff", "grade", "ladder", "load",
    "pick", "poisoned", "roofline", "show", "start", "trace",
]  # fmt: skip


def __getattr__(name):
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"warpbook.{module}"), name)
    raise AttributeError(f"warpbook has no '{name}'. It has: {', '.join(__all__)}.")


def __dir__():
    return __all__

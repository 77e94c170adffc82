"""Warp by Warp's helper package: load a .cu file, launch it, check it, time it, look inside it."""

from warpbook.backend import cp, pick
from warpbook.checks import check, claim, poisoned
from warpbook.exercise import start
from warpbook.grading import grade
from warpbook.kernel import load
from warpbook.plots import ladder, roofline
from warpbook.render import diff, show
from warpbook.timing import bench, device
from warpbook.tracing import trace

__all__ = [
    "bench", "check", "claim", "cp", "device", "diff", "grade", "ladder", "load",
    "pick", "poisoned", "roofline", "show", "start", "trace",
]  # fmt: skip

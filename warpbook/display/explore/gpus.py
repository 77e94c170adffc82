"""The GPUs that the figures know by name: what an SM is, and how fast memory and arithmetic are."""

from warpbook.profiles import SM, SM_LIMITS

# Compute capability by name. 'H100' is every H100: the limits of an SM are those of its capability.
CAPABILITY = {
    "P100": ("P100", (6, 0)),
    "GTX1080": ("GeForce GTX 1080", (6, 1)),
    "V100": ("V100", (7, 0)),
    "T4": ("T4, RTX 20", (7, 5)),
    "A100": ("A100", (8, 0)),
    "A10": ("A10, RTX 30", (8, 6)),
    "Orin": ("Jetson Orin", (8, 7)),
    "L4": ("L4, L40S, RTX 40", (8, 9)),
    "H100": ("H100", (9, 0)),
    "H200": ("H200", (9, 0)),
    "B200": ("B200", (10, 0)),
    "B300": ("B300", (10, 3)),
    "Thor": ("Jetson Thor", (11, 0)),
    "RTX50": ("RTX 50", (12, 0)),
    "Spark": ("DGX Spark", (12, 1)),
}
# GB/s of memory, GFLOP/s of float32 multiply-adds. Those of the GPUs that the book was recorded on
# are measured by device(), the median over the chapters, which a test compares with the stamps; the
# others stand in DATA_SHEET.
MEASURED = {"H100": (3037, 66200), "H200": (4266, 66200)}


def sm_of(gpu: str) -> SM:
    """What one SM of a GPU can hold."""
    return SM_LIMITS[CAPABILITY[gpu][1]]

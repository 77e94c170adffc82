"""What a launch may falsify, to see which results depend on it: see the package's docstring."""

import numpy as np

PERTURBED = ("products", "distant", "acquired")


def acquired(state, instruction, values):
    """What an acquiring load or atomic gives: zeros where 'acquired' is perturbed, else values."""
    words = instruction.parts
    if state.launch.perturb != "acquired" or not ("acquire" in words or "acq_rel" in words):
        return values
    if isinstance(values, tuple):
        return tuple(np.zeros_like(value) for value in values)
    return np.zeros_like(values)


def flipped(values: np.ndarray, key: int) -> np.ndarray:
    """Return the factors that products take in place of ``values`` where 'products' is perturbed.

    About half of all numbers change their sign. The key decides which, so a kernel learns it by
    multiplying alone. Equal numbers go together; 0 stays 0.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    mixed = (bits ^ np.uint32(key * 0x9E3779B1 & 0xFFFFFFFF)) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ mixed >> np.uint32(15)) * np.uint32(0xC2B2AE35)
    turn = (mixed >> np.uint32(31)).astype(bool) & (values != 0)
    return np.where(turn, -values, values)

"""ex2, lg2, sin, cos, tanh, rsqrt: computed in f64 and rounded, so within 1 ulp of exact.

The hardware's own results differ from these by the few ulps that the PTX manual states for .approx.
"""

import numpy as np

from . import floats, half, op

F64 = np.float64


def approximate(instruction, fn):
    if instruction.type in ("f16", "f16x2", "bf16", "bf16x2"):
        return half.lifted(instruction, fn)
    if instruction.type == "f64":
        return floats.dressed(instruction, fn)
    return floats.dressed(instruction, lambda a: fn(a.astype(F64)).astype(np.float32))


@op("ex2", modifiers="approx ftz", types="f32 f16 f16x2 bf16 bf16x2")
def ex2(instruction):
    """a (T) -> T: 2 ** a."""
    return approximate(instruction, np.exp2)


@op("lg2", modifiers="approx ftz", types="f32")
def lg2(instruction):
    """a (T) -> T: log2(a)."""
    return approximate(instruction, np.log2)


@op("sin", modifiers="approx ftz", types="f32")
def sin(instruction):
    """a (T) -> T."""
    return approximate(instruction, np.sin)


@op("cos", modifiers="approx ftz", types="f32")
def cos(instruction):
    """a (T) -> T."""
    return approximate(instruction, np.cos)


@op("tanh", modifiers="approx", types="f32 f16 f16x2 bf16 bf16x2")
def tanh(instruction):
    """a (T) -> T."""
    return approximate(instruction, np.tanh)


@op("rsqrt", modifiers="approx ftz", types="f32 f64")
def rsqrt(instruction):
    """a (T) -> T: 1 / sqrt(a)."""
    return approximate(instruction, lambda a: 1.0 / np.sqrt(a))

"""Random programs with nested branches and loops: many threads at once give what each gives alone."""

import random

import numpy as np
import pytest

from .conftest import program

KERNEL = """
extern "C" __global__ void k(const int* a, int* out, int first_thread, int first_block) {
    __shared__ int s[8 * 64];
    int t = threadIdx.x + first_thread, b = blockIdx.x + first_block, v[4] = {1, 2, 3, t};
    int x = t * 3, y = b * 5 + 1, z = a[t], w = a[b + 9];
    float f = t;
    for (int i = 0; i < 8; i++) s[i * 64 + t] = i * t;
    out[b * 64 + t] = -1;
    BODY
    int r = 0;
    for (int i = 0; i < 8; i++) r = r * 3 + s[i * 64 + t];
    for (int i = 0; i < 4; i++) r = r * 5 + v[i];
    out[b * 64 + t] = x ^ (y * 3) ^ (z * 7) ^ (w * 11) ^ r ^ __float_as_int(f);
}"""
NAMES = ["x", "y", "z", "w"]


def value(r):
    n = r.choice(NAMES)
    return r.choice([
        f"({n} {r.choice('+-*^&|')} {r.choice(NAMES + ['7', 't', 'b'])})", f"({n} >> {r.randint(0, 5)})",
        f"a[{n} & 63]", f"s[({n} & 7) * 64 + t]", f"v[{n} & 3]", "__float2int_rn(f * 0.5f)",
    ])  # fmt: skip


def condition(r):
    n = r.choice(NAMES)
    return r.choice([
        f"{n} & {r.randint(1, 7)}", f"{n} > {r.choice(NAMES + ['t', '10'])}", f"t < {r.randint(0, 64)}",
        f"b == {r.randint(0, 2)}", f"t % {r.randint(2, 5)} == 0", f"({value(r)} ^ t) % 3 == 1",
    ])  # fmt: skip


def statements(r, depth, in_loop):
    return " ".join(statement(r, depth, in_loop) for _ in range(r.randint(1, 3)))


def statement(r, depth, in_loop):
    kind, n = r.random(), r.choice(NAMES)
    if depth == 0 or kind < 0.35:
        return f"{n} = {value(r)} + {value(r)};"
    if kind < 0.42:
        return f"s[({n} & 7) * 64 + t] = {value(r)};"
    if kind < 0.5:
        return f"v[{n} & 3] = {value(r)};"
    if kind < 0.55:
        return f"f += {n} & 15; f *= 0.75f;"
    if kind < 0.8:
        other = f"else {{ {statements(r, depth - 1, in_loop)} }}" if r.random() < 0.5 else ""
        return f"if ({condition(r)}) {{ {statements(r, depth - 1, in_loop)} }} {other}"
    if kind < 0.95:
        i, end = f"i{r.randint(0, 9999)}", r.choice(["3", f"({n} & 7)", "(t & 3)", "(b + 1)"])
        body = statements(r, depth - 1, True)
        return f"for (int {i} = 0; {i} < {end}; {i}++) {{ {body} {n} += {i}; }}"
    way_out = r.choice(["break", "continue"]) if in_loop else "return"
    return f"if ({condition(r)}) {way_out};"


@pytest.mark.parametrize("seed", range(12))
def test_together_as_alone(seed):
    r = random.Random(seed)
    threads = r.choice([32, 48, 64])
    k = program(KERNEL.replace("BODY", statements(r, 4, False)))
    a = np.random.default_rng(seed).integers(-50, 100, 64).astype("i4")
    together, alone = np.zeros((3, 64), "i4"), np.zeros((3, 64), "i4")
    k.launch((3,), (threads,), [a, together, np.int32(0), np.int32(0)], trace=True)
    for b in range(3):
        for t in range(threads):
            k.launch((1,), (1,), [a, alone, np.int32(t), np.int32(b)], sanitize=False)
    assert (together == alone).all()

"""What a request costs: the report, the picture and the hardware agree."""

import numpy as np
import pytest
from emulator_helpers import line_of

from warpbook.display import requests
from warpbook.emulator import rules


def request(rng):
    """A random request of a warp: (addresses, bytes a lane, which lanes take part, a load?)."""
    size = int(rng.choice([1, 2, 4, 8, 16]))
    lanes = np.arange(32)
    shapes = [
        lanes * rng.integers(1, 40),
        lanes // 2,
        lanes & 29,
        lanes % rng.integers(1, 33),
        rng.integers(0, 200, 32),
        rng.integers(0, 4, 32),
        np.zeros(32, int),
    ]
    addresses = shapes[rng.integers(len(shapes))] * size
    present = rng.random(32) < rng.choice([0.1, 0.5, 0.97, 1, 1])
    present[rng.integers(32)] = True
    return addresses, size, present, bool(rng.integers(2))


def test_the_picture_and_the_count_agree(monkeypatch):
    monkeypatch.setattr(requests, "figure_of", lambda draw, alt, **_: alt)
    rng = np.random.default_rng(1)
    for _ in range(4000):
        addresses, size, present, load = request(rng)
        rows = np.where(present, addresses, addresses[present][0])[None]
        cost, passes = (int(n[0]) for n in rules.wavefronts(rows, size, present[None], load))
        drawn = [int(a) if on else None for a, on in zip(addresses, present, strict=True)]
        alt = requests.draw_banks(drawn, size, store=not load)
        assert f": {cost} wavefront{'s' if cost > 1 else ''}, " in alt, (drawn, size, load, alt)
        extra = cost - passes
        assert (f"{extra} wavefront" in alt) == bool(extra), (drawn, size, load, alt)


def test_each_wavefront_takes_one_word_of_a_bank_and_all_lanes_are_served():
    rng = np.random.default_rng(2)
    for _ in range(300):
        addresses, size, present, load = request(rng)
        lanes = {n: int(addresses[n]) for n in np.flatnonzero(present).tolist()}
        served = rules.served(lanes, size, load)
        assert {n: at for group, _ in served for n, at in group.items()} == lanes
        for group, wavefronts in served:
            words = [word for row in wavefronts for word in row.values()]
            asked = {b // 4 for at in group.values() for b in range(at, at + size)}
            assert sorted(words) == sorted(asked)
            assert all(word % 32 == bank for row in wavefronts for bank, word in row.items())


FEW = """
extern "C" __global__ void k({type}* out, int n) {{
    __shared__ {type} s[64]; int t = threadIdx.x;
    s[t] = out[t]; __syncthreads();
    {type} x = out[0];
    if (t < n) {{
        s[5] = x;                     // STORE
        x = s[7];                     // LOAD
    }}
    out[t] = x;
}}"""


@pytest.mark.parametrize(
    "type, lanes, stores, loads",
    [
        ("float2", 1, 1, 1),
        ("float2", 4, 1, 1),
        ("float2", 17, 2, 1),
        ("float4", 1, 1, 1),
        ("float4", 9, 2, 1),
        ("float4", 32, 4, 2),
    ],
)
def test_few_lanes_at_one_address(compiled, type, lanes, stores, loads):
    """As on an H100: a pass in which no lane takes part costs nothing."""
    text, size = FEW.format(type=type), 2 if type == "float2" else 4
    out = np.zeros((32, size), "f4")
    report = compiled(text).launch((1,), (32,), [out, np.int32(lanes)], trace=True)
    store, load = report.lines[line_of(text, "STORE")], report.lines[line_of(text, "LOAD")]
    assert (store.shared_st_requests, load.shared_ld_requests) == (1, 1)
    assert (store.shared_st_wavefronts, load.shared_ld_wavefronts) == (stores, loads)
    assert store.shared_st_conflicts == load.shared_ld_conflicts == 0
    (sample,) = report.samples[line_of(text, "STORE")]
    assert sum(sample.active) == lanes
    drawn = {n: a for n, a in enumerate(sample.addresses) if sample.active[n]}
    assert sum(len(rows) for _, rows in rules.served(drawn, sample.size, load=False)) == stores

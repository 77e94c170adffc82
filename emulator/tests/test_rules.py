"""What a request costs: the report, the picture and the hardware agree."""

import numpy as np
import pytest
from emulator_helpers import line_of, random_request

from warpemu import rules


def test_each_wavefront_takes_one_word_of_a_bank_and_all_lanes_are_served():
    rng = np.random.default_rng(2)
    for _ in range(300):
        addresses, size, present, load = random_request(rng)
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


# Of copies to shared memory -----------------------------------------------------------------------
COPIES = """
extern "C" __global__ void k(const char* in, float4* out, int lanes, int row, int from) {{
    __shared__ __align__(16) char s[32 * {size}];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(s) + {size} * t;
    const char* source = in + 16 * from + row * (t / 8) + {size} * (t % 8);
    asm volatile("cp.async.{how}.shared.global [%0], [%1], {size}, %2;"      // COPY
        :: "r"(to), "l"(source), "r"(t % 8 < lanes ? {size} : 0) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (t < 2 * {size}) out[t] = ((float4*)s)[t];
}}"""


@pytest.mark.parametrize(
    "how, size, lanes, row, start, sectors",
    [
        # .cg: pairs of lanes, each in one line or in two.
        ("cg", 16, 8, 128, 0, 16),
        ("cg", 16, 8, 128, 1, 20),  # 17 sectors: four pairs lie in two lines
        ("cg", 16, 5, 80, 0, 14),  # 10 sectors; two of the rows begin in the middle of a pair
        ("cg", 16, 5, 80, 4, 12),  # 10 sectors
        ("cg", 16, 3, 176, 12, 9),  # 8 sectors
        ("cg", 16, 1, 144, 0, 4),
        ("cg", 16, 0, 144, 0, 0),
        # .ca: sectors, as of a load.
        ("ca", 16, 8, 128, 1, 17),
        ("ca", 16, 5, 80, 0, 10),
        ("ca", 8, 5, 40, 1, 6),
        ("ca", 4, 7, 28, 0, 4),
    ],
)
def test_sectors_of_copies(compiled, how, size, lanes, row, start, sectors):
    """As an H200 counts them in kernels/tensor_cores/ and kernels/softmax/05_shared."""
    text = COPIES.format(how=how, size=size)
    data = np.arange(2048, dtype="u1")
    args = [data, np.zeros((32, 4), "f4"), np.int32(lanes), np.int32(row), np.int32(start)]
    report = compiled(text).launch((1,), (32,), args, trace=True)
    assert report.global_ld_requests == (lanes > 0)
    assert report.global_ld_sectors == sectors
    if lanes == 8 and size == 16:
        assert (args[1].view("u1").reshape(-1) == data[16 * start :][:512]).all()


def test_a_copy_of_a_part_and_copies_of_all_are_one_request(compiled):
    """Some lanes copy 16 bytes, some 8, some none."""
    text = COPIES.format(how="ca", size=16).replace(
        "t % 8 < lanes ? 16 : 0", "t % 8 < lanes ? 16 : t % 8 == lanes ? 8 : 0"
    )
    data = np.arange(1, 2049, dtype="u1")
    args = [data, np.zeros((32, 4), "f4"), np.int32(3), np.int32(128), np.int32(0)]
    report = compiled(text).launch((1,), (32,), args, trace=True)
    assert (report.global_ld_requests, report.global_ld_sectors) == (1, 8)
    rows = args[1].view("u1").reshape(4, 128)
    assert (rows[:, :56] == data[:512].reshape(4, 128)[:, :56]).all() and not rows[:, 56:].any()


@pytest.mark.parametrize("lanes", [1, 5, 32])
def test_sectors_of_copies_of_a_part_of_a_warp(lanes):
    """A warp that is not whole, and one all of whose lanes copy from one place."""
    rows, present = np.full((1, 32), 1040), np.arange(32)[None] < lanes
    assert rules.past_l1(rows, present).tolist() == [-(-lanes // 2)]
    assert rules.past_l1(rows[:, :1]).tolist() == [16]

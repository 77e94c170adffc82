"""cp.async.bulk.tensor and tensor maps: against NumPy models; what the driver refuses; faults."""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest
from emulator_helpers import HW, needs_gpu, program
from hopper_helpers import CLUSTER, HEAD

import warpemu
from warpemu import tensor_map as maps

BOX_BYTES = 128 * 128  # of shared memory that the tests' kernels have for a box

MAP = """
struct alignas(64) TensorMap { unsigned long long words[16]; };
__device__ __forceinline__ void prefetch(const TensorMap* m) { asm volatile("prefetch.tensormap [%0];" :: "l"(m) : "memory"); }
__device__ __forceinline__ void wait_stores() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
"""


def load_text(rank):
    places = ", ".join(f"%{k + 2}" for k in range(rank))
    last = rank + 2
    given = ", ".join(f'"r"({"xyzuv"[k]})' for k in range(rank))
    names = ", ".join(f"int {'xyzuv'[k]}" for k in range(rank))
    return f"""
    __device__ __forceinline__ void load_box(void* s, const TensorMap* m, {names}, u64* b) {{
        asm volatile("cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {{{places}}}], [%{last}];"
            :: "r"(at(s)), "l"(m), {given}, "r"(at(b)) : "memory");
    }}
    __device__ __forceinline__ void store_box(const void* s, const TensorMap* m, {names}) {{
        asm volatile("cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%1, {{{places}}}], [%0];"
            :: "r"(at(s)), "l"(m), {given} : "memory");
    }}"""


def copy_kernel(rank):
    """Loads the box at a corner, writes all of shared memory to ``raw``; stores the box elsewhere."""
    corner = ", ".join(f"corner[{k}]" for k in range(rank))
    other = ", ".join(f"corner[{k + rank}]" for k in range(rank))
    return f"""{HEAD}{MAP}{load_text(rank)}
    extern "C" __global__ void k(const __grid_constant__ TensorMap source, const __grid_constant__ TensorMap target,
                                 const int* corner, unsigned char* raw, int bytes) {{
        __shared__ alignas(1024) unsigned char s[{BOX_BYTES}];
        __shared__ u64 bar;
        int t = threadIdx.x;
        for (int i = t; i < {BOX_BYTES}; i += blockDim.x) s[i] = 0xCD;
        fence_async();
        if (t == 0) {{ prefetch(&source); init(&bar, 1); fence_init(); }}
        __syncthreads();
        if (t == 0) {{ expect(&bar, bytes); load_box(s, &source, {corner}, &bar); }} // LOAD
        wait(&bar, 0);
        for (int i = t; i < {BOX_BYTES}; i += blockDim.x) raw[i] = s[i];
        __syncthreads();
        if (t == 0) {{ store_box(s, &target, {other}); commit(); wait_stores(); }} // STORE
    }}"""


def numbers(rng, shape, kind):
    """Random elements of a dtype, no NaN among them."""
    if kind[0] == "f":
        return rng.standard_normal(shape).astype(kind)
    return rng.integers(0, np.iinfo(kind).max, shape).astype(kind)


def box_of(array, corner, box, fill):
    """What a load gives: corner and box in the order of the array's axes."""
    result = np.full(box, fill, array.dtype)
    inside, there = [], []
    for first, size, length in zip(corner, box, array.shape, strict=True):
        low, high = max(first, 0), min(first + size, length)
        if low >= high:
            return result
        inside.append(slice(low - first, high - first))
        there.append(slice(low, high))
    result[tuple(inside)] = array[tuple(there)]
    return result


def swizzled(data, swizzle):
    """Where the bytes of a box lie in shared memory: {address: byte}, as an array with 0xCD where
    nothing is; by the picture of the swizzle, row by row of 128 bytes, piece by piece.
    """
    span = {"none": 16, "32B": 32, "64B": 64, "128B": 128}[swizzle]
    result = np.full(BOX_BYTES, 0xCD, np.uint8)
    raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    for piece in range(len(raw) // 16):
        line, place = divmod(piece, 8)
        place ^= line % (span // 16)
        result[128 * line + 16 * place :][:16] = raw[16 * piece :][:16]
    return result


CASES = {
    # name: (shape, dtype, box, swizzle, corners)
    "1D": ((1000,), "f4", (64,), "none", [(0,), (8,), (-4,), (988,), (2000,), (-64,)]),
    "1D of bytes": ((300,), "u1", (256,), "none", [(0,), (112,), (-16,), (288,)]),
    "1D of doubles": ((77,), "f8", (32,), "none", [(0,), (60,), (-2,)]),
    "2D": (
        (40, 100),
        "f4",
        (16, 32),
        "none",
        [(0, 0), (3, 8), (-2, -4), (38, 88), (39, 96), (40, 0), (0, 100)],
    ),
    "2D wide": ((33, 256), "f4", (8, 256), "none", [(0, 0), (30, 4)]),
    "2D narrow": ((33, 8), "f2", (20, 8), "none", [(0, 0), (30, 0), (5, -8), (5, 8)]),
    "32 bytes": ((64, 64), "f2", (17, 16), "32B", [(0, 0), (60, 56)]),
    "64 bytes": ((64, 64), "f2", (19, 32), "64B", [(0, 0), (60, 56)]),
    "128 bytes": ((64, 64), "f2", (64, 64), "128B", [(0, 0), (60, 56), (-3, -8)]),
    "128 bytes of floats": ((50, 36), "f4", (33, 32), "128B", [(0, 0), (20, 8)]),
    "128 bytes of bytes": ((50, 144), "u1", (24, 128), "128B", [(0, 0), (20, 32)]),
    "3D": ((5, 12, 24), "f4", (3, 4, 8), "none", [(0, 0, 0), (1, 2, 4), (-1, -1, -4), (4, 11, 20)]),
    "3D swizzled": ((4, 20, 64), "u2", (2, 9, 64), "128B", [(0, 0, 0), (3, 15, 8)]),
    "4D": ((2, 3, 4, 8), "i4", (2, 2, 2, 4), "none", [(0, 0, 0, 0), (1, 2, 3, 4)]),
    "5D": ((2, 2, 3, 4, 8), "i4", (1, 2, 2, 2, 4), "none", [(0, 0, 0, 0, 0), (1, 1, 2, 3, 4)]),
}


@pytest.mark.parametrize("name", CASES)
def test_boxes(name, rng):
    shape, kind, box, swizzle, corners = CASES[name]
    k = program(copy_kernel(len(shape)))
    array = numbers(rng, shape, kind)
    settings = {"swizzle": swizzle}
    for corner in corners:
        target = np.zeros(shape, kind)
        to = rng.integers(0, 3, len(shape)) * [*[1] * (len(shape) - 1), 16 // array.itemsize]
        to = tuple(int(c) for c in to)
        raw = np.zeros(BOX_BYTES, np.uint8)
        places = np.array([*corner[::-1], *to[::-1]], "i4")
        size = np.int32(int(np.prod(box)) * array.itemsize)
        maps_of = maps.of(array, box, **settings), maps.of(target, box, **settings)
        k.launch((1,), (64,), [*maps_of, places, raw, size])
        data = box_of(array, corner, box, 0)
        assert (raw == swizzled(data, swizzle)).all(), corner
        assert (target == box_of(data, tuple(-c for c in to), shape, 0)).all(), (corner, to)


@pytest.mark.parametrize(
    "kind, name", [("f2", None), ("f4", None), ("u2", "bfloat16"), ("f8", None)]
)
def test_what_lies_outside_may_be_nan(kind, name, rng):
    array = numbers(rng, (20, 40), kind)
    target, raw = np.zeros((20, 40), kind), np.zeros(BOX_BYTES, np.uint8)
    box, size = (8, 16), 8 * 16 * array.itemsize
    both = (maps.of(a, box, fill="nan", kind=name) for a in (array, target))
    places = np.array([-8, 15, 0, 0], "i4")
    out = raw[:size].view(kind)
    program(copy_kernel(2)).launch((1,), (64,), [*both, places, raw, np.int32(size)])
    got = out.reshape(box)
    assert (got[:5, 8:] == array[15:, :8]).all()
    outside = np.ones(box, bool)
    outside[:5, 8:] = False
    bits = got[outside].view(f"u{array.itemsize}")
    wide = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}[array.itemsize]
    wide = 0x7F80 if name == "bfloat16" else wide
    assert (bits == bits[0]).all() and (bits > wide).all()


def test_a_view_and_padded_rows(rng):
    """The map knows where a view begins and how far its rows lie apart."""
    whole = numbers(rng, (50, 48), "f4")
    view = whole[3:40, 8:44]
    target, raw = np.zeros((16, 32), "f4"), np.zeros(BOX_BYTES, np.uint8)
    both = maps.of(view, (16, 32)), maps.of(target, (16, 32))
    places = np.array([12, 30, 0, 0], "i4")
    program(copy_kernel(2)).launch((1,), (64,), [*both, places, raw, np.int32(2048)])
    assert (target == box_of(view, (30, 12), (16, 32), 0)).all()


TRANSPOSE = f"""{HEAD}{MAP}{load_text(2)}
extern "C" __global__ void k(const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap out, int tiles) {{
    __shared__ alignas(1024) float s[2][32][32], d[32][32];
    __shared__ u64 full[2];
    int t = threadIdx.x, row = blockIdx.x * 32;
    if (t == 0) {{ init(full, 1); init(full + 1, 1); fence_init(); }}
    __syncthreads();
    if (t == 0) {{ expect(full, 4096); load_box(s[0], &in, 0, row, full); }}
    for (int i = 0; i < tiles; i++) {{
        if (t == 0 && i + 1 < tiles) {{
            u64* next = full + (i + 1) % 2;
            expect(next, 4096); load_box(s[(i + 1) % 2], &in, 32 * (i + 1), row, next);
        }}
        wait(full + i % 2, i / 2 % 2);
        if (t == 0) wait_stores();
        __syncthreads();
        for (int j = t; j < 1024; j += blockDim.x) {{
            int r = j / 32, c = j % 32;
            d[c][r] = s[i % 2][r][(c / 4 ^ r % 8) * 4 + c % 4];
        }}
        fence_async(); // FENCE
        __syncthreads();
        if (t == 0) {{ store_box(d, &out, row, 32 * i); commit(); }} // STORE
    }}
    if (t == 0) wait_stores(); // LAST
}}"""


@pytest.mark.parametrize("rows, cols", [(64, 64), (100, 52), (4, 4), (33 * 4, 200)])
def test_a_transpose_with_a_ring_of_two(rows, cols, rng):
    a, out = numbers(rng, (rows, cols), "f4"), np.full((cols, rows), np.nan, "f4")
    both = maps.of(a, (32, 32), swizzle="128B"), maps.of(out, (32, 32))
    grid, tiles = -(-rows // 32), -(-cols // 32)
    report = program(TRANSPOSE).launch((grid,), (128,), [*both, np.int32(tiles)], trace=True)
    assert (out == a.T).all()
    if rows % 8 == cols % 8 == 0:
        assert report.unique_sectors == 2 * a.nbytes // 32


def test_multicast_of_a_box(rng):
    """Each of two blocks loads half of a tile for both."""
    text = f"""{HEAD}{CLUSTER}{MAP}
    extern "C" __global__ void __cluster_dims__(2) k(const __grid_constant__ TensorMap in, float* out) {{
        __shared__ alignas(128) float s[32][16];
        __shared__ u64 bar;
        int t = threadIdx.x;
        if (t == 0) {{ init(&bar, 1); fence_init(); }}
        meet();
        if (t == 0) {{
            expect(&bar, 2048);
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {{%2, %3}}], [%4], %5;"
                :: "r"(at(s[16 * rank()])), "l"(&in), "r"(0), "r"((int)(blockIdx.x / 2 * 32 + 16 * rank())), "r"(at(&bar)), "h"((unsigned short)3) : "memory");
        }}
        wait(&bar, 0);
        for (int i = t; i < 512; i += 64) out[blockIdx.x * 512 + i] = s[i / 16][i % 16];
        meet();
    }}"""
    a, out = numbers(rng, (64, 16), "f4"), np.zeros((4, 32, 16), "f4")
    program(text).launch((4,), (64,), [maps.of(a, (16, 16)), out])
    assert (out == a.reshape(2, 1, 32, 16).repeat(2, axis=1).reshape(4, 32, 16)).all()


def test_a_map_in_global_memory(rng):
    text = copy_kernel(2).replace(
        "const __grid_constant__ TensorMap source, const __grid_constant__ TensorMap target",
        "const TensorMap* both",
    )
    text = text.replace("&source", "both").replace("&target", "(both + 1)")
    a, target = numbers(rng, (20, 40), "f4"), np.zeros((20, 40), "f4")
    both = np.array([maps.of(x, (8, 16)) for x in (a, target)]).view(np.uint64)
    raw, places = np.zeros(BOX_BYTES, np.uint8), np.array([4, 3, 4, 3], "i4")
    program(text).launch(
        (1,), (64,), [both, places, raw, np.int32(512)], not_on_gpu="the map is the emulator's"
    )
    assert (target[3:11, 4:20] == a[3:11, 4:20]).all() and (target == 0).sum() == 20 * 40 - 8 * 16


# What the driver refuses ---------------------------------------------------------------------------
def make(shape=(64, 64), kind="f4", box=(8, 32), view=lambda a: a, **settings):
    """The map of a fresh array, and the fields that were described."""
    array = view(np.zeros(shape, kind))
    return maps.of(array, box, **settings)


REFUSED = {
    "a box of no elements": (dict(box=(0, 32)), "a box of 0 elements"),
    "a box of 257": (dict(shape=(300, 64), box=(257, 32)), "a box of 257 elements"),
    "a box of 8 bytes": (dict(box=(8, 2)), "the box has 8 bytes along the innermost"),
    "a box of 20 bytes": (dict(box=(8, 5)), "a multiple of 16 is needed"),
    "rows of 10 floats": (dict(shape=(64, 10), box=(8, 8)), "a stride of 40 bytes"),
    "a view that begins at 4 bytes": (dict(view=lambda a: a[:, 1:]), "begins at address 0x4"),
    "too wide for the swizzle": (dict(box=(8, 64), swizzle="128B"), "256 bytes .* allows 128"),
    "too wide for 32 bytes": (dict(box=(8, 16), swizzle="32B"), "64 bytes .* allows 32"),
    "NaN of integers": (dict(kind="i4", fill="nan"), "needs elements that are floats"),
    "interleaved in 2D": (dict(interleave="16B"), "at least 3 dimensions"),
    "a step of 9": (dict(steps=(9, 1)), "a step of 9"),
    "a step of 0": (dict(steps=(0, 1)), "a step of 0"),
    "six dimensions": (dict(shape=(2, 2, 2, 2, 2, 4), box=(1, 1, 1, 1, 1, 4)), "1 to 5 dimensions"),
}
NOT_ASKED = {  # of the driver: it never sees these
    "a box of another rank": (dict(box=(8,)), "box has 1 sizes"),
    "a column view": (dict(view=lambda a: a[:, ::2], box=(8, 16)), "have to be neighbours"),
    "an unknown swizzle": (dict(swizzle="96B"), "it is one of none, 32B"),
    "complex numbers": (dict(kind="c8"), "not of complex64"),
    "a kind of another size": (dict(kind="f4", box=(8, 32)), "have 2 bytes"),
}
NOT_ASKED["a kind of another size"][0]["settings"] = {"kind": "bfloat16"}


def arguments(given):
    given = dict(given)
    settings = given.pop("settings", {})
    return given, settings


@pytest.mark.parametrize("name", REFUSED | NOT_ASKED)
def test_what_is_refused(name):
    given, said = (REFUSED | NOT_ASKED)[name]
    given, settings = arguments(given)
    shape, kind = given.pop("shape", (64, 64)), given.pop("kind", "f4")
    array = given.pop("view", lambda a: a)(np.zeros(shape, kind))
    with pytest.raises(ValueError, match=said):
        maps.of(array, given.pop("box", (8, 32)), **given, **settings)


ALLOWED = {
    "a box beyond the array": dict(shape=(4, 4), box=(256, 4)),
    "strided rows": dict(view=lambda a: a[::2]),
    "a step": dict(steps=(2, 1)),
    "an innermost step": dict(steps=(1, 3)),
    "interleaved": dict(shape=(4, 8, 8), box=(2, 4, 8), interleave="16B"),
    "fp16 NaN": dict(kind="f2", fill="nan"),
    "promotion": dict(promotion="256B"),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_allowed(name):
    given = dict(ALLOWED[name])
    array = given.pop("view", lambda a: a)(
        np.zeros(given.pop("shape", (64, 64)), given.pop("kind", "f4"))
    )
    fields, _ = maps.decode(maps.of(array, given.pop("box", (8, 32)), **given).tobytes())
    assert fields.sizes == array.shape[::-1]


@pytest.mark.skipif(not HW, reason="it asks the driver")
@pytest.mark.parametrize("name", REFUSED | ALLOWED)
def test_the_driver_agrees(name, monkeypatch):
    import cupy

    from warpbook.launch import tensor_maps

    needs_gpu()
    given = dict(REFUSED[name][0] if name in REFUSED else ALLOWED[name])
    shape, kind = given.pop("shape", (64, 64)), given.pop("kind", "f4")
    array = given.pop("view", lambda a: a)(cupy.zeros(shape, kind))
    monkeypatch.setattr(maps, "check", lambda fields: None)
    fields = maps.describe(array, array.data.ptr, given.pop("box", (8, 32)), **given)
    if name in ALLOWED:
        assert len(tensor_maps.by_driver(fields).tobytes()) == 128
        return
    # six dimensions are refused by cuda.bindings before the driver sees them
    with pytest.raises(ValueError, match="cuTensorMapEncodeTiled refuses|too long"):
        tensor_maps.by_driver(fields)


# Faults --------------------------------------------------------------------------------------------
FAULTS = {
    "no fence before the store": ("missing proxy fence", "fence_async(); // FENCE", "", "// STORE"),
    "no wait for the last store": (
        "unfinished copy",
        "if (t == 0) wait_stores(); // LAST",
        "",
        "// STORE",
    ),
    "no wait for the store before": (
        "unfinished copy",
        "if (t == 0) wait_stores();\n        __syncthreads();",
        "__syncthreads();",
        "d[c][r] =",
    ),
    "no barrier before the next load": (
        "shared race",
        "__syncthreads();\n        if (t == 0) { store_box(d, &out, row, 32 * i); commit(); } // STORE",
        "if (t == 0) { store_box(d, &out, row, 32 * i); commit(); }",
        None,
    ),
    "a stage too early": (
        "unfinished copy",
        "wait(full + i % 2, i / 2 % 2);",
        "wait(full, i / 2 % 2);",
        "d[c][r] =",
    ),
    "the wrong parity": (
        "wait on the wrong phase",
        "wait(full + i % 2, i / 2 % 2);",
        "wait(full + i % 2, 1);",
        "d[c][r] =",
    ),
    "misaligned": (
        "shared misaligned",
        "load_box(s[0], &in",
        "load_box(&s[0][0][4], &in",
        "load_box(&s",
    ),
    "bytes of another box": (
        "endless wait",
        "expect(full, 4096)",
        "expect(full, 8192)",
        "wait(full +",
    ),
}


def run_transpose(text, rows=100, cols=100):
    a = np.arange(rows * cols, dtype="f4").reshape(rows, cols)
    out = np.full((cols, rows), np.nan, "f4")
    both = maps.of(a, (32, 32), swizzle="128B"), maps.of(out, (32, 32))
    program(text).launch((-(-rows // 32),), (128,), [*both, np.int32(-(-cols // 32))])


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name):
    kind, old, new, marker = FAULTS[name]
    assert old in TRANSPOSE
    text = TRANSPOSE.replace(old, new)
    with pytest.raises(warpemu.Finding) as caught:
        run_transpose(text)
    finding = caught.value
    if marker is None:
        assert finding.kind in (kind, "missing __syncwarp"), str(finding)
        return
    assert finding.kind == kind, str(finding)
    lines = [n for n, line in enumerate(text.splitlines(), 1) if marker in line]
    assert finding.line in lines, str(finding)


MISALIGNED = {  # kind: (an innermost coordinate, elements in 16 bytes)
    "u1": (8, 16),
    "f2": (-3, 8),
    "f4": (2, 4),
    "f8": (41, 2),
}
FETCH = """fence_async();
        if (t == 0) asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" :: "l"(&source), "r"(corner[0]), "r"(corner[1]) : "memory"); // FETCH
"""
FETCHED = copy_kernel(2).replace("fence_async();", FETCH)


@pytest.mark.parametrize("sanitize", [True, False])
@pytest.mark.parametrize("way", ["LOAD", "STORE", "FETCH"])
@pytest.mark.parametrize("kind", MISALIGNED)
def test_a_box_begins_at_a_multiple_of_16_bytes(kind, way, sanitize):
    """Also outside of the tensor. For others the GPU has an illegal instruction."""
    first, step = MISALIGNED[kind]
    corner = [0, 0, first, 1] if way == "STORE" else [first, 1, 0, 0]
    text = FETCHED if way == "FETCH" else copy_kernel(2)
    a, out = np.zeros((20, 48), kind), np.zeros((20, 48), kind)
    both, raw = (maps.of(x, (8, 16)) for x in (a, out)), np.zeros(BOX_BYTES, np.uint8)
    args = [*both, np.array(corner, "i4"), raw, np.int32(8 * 16 * a.itemsize)]
    with pytest.raises(warpemu.Finding) as caught:
        program(text).launch((1,), (64,), args, sanitize=sanitize)
    finding = caught.value
    assert finding.kind == "misaligned box"
    assert way in text.splitlines()[finding.line - 1]
    for said in (
        f"is {first}:",
        f"of {a.itemsize} byte",
        f"{first * a.itemsize} bytes",
        f"multiple of {step} as",
        f"here {first // step * step},",
    ):
        assert said in str(finding)


def test_a_store_does_not_begin_before_the_tensor():
    """A load may: what lies outside is filled in. A store there is an illegal instruction."""
    out, raw = np.zeros((20, 48), "f4"), np.zeros(BOX_BYTES, np.uint8)
    both, places = (maps.of(out, (8, 16)) for _ in range(2)), np.array([-4, 1, 0, -1], "i4")
    with pytest.raises(warpemu.Finding, match="coordinate -1, before the tensor"):
        program(copy_kernel(2)).launch((1,), (64,), [*both, places, raw, np.int32(512)])


@pytest.mark.parametrize("inner, swizzle", [(32, "128B"), (16, "128B"), (16, "64B")])
def test_a_box_narrower_than_its_swizzle_is_refused(inner, swizzle):
    """On a GPU its rows lie further apart than they are long."""
    a, raw = np.zeros((64, 64), "f2"), np.zeros(BOX_BYTES, np.uint8)
    both = (maps.of(a, (16, inner), swizzle=swizzle) for _ in range(2))
    args = [*both, np.zeros(4, "i4"), raw, np.int32(32 * inner)]
    with pytest.raises(warpemu.EmulatorError, match="narrower than its swizzle"):
        program(copy_kernel(2)).launch((1,), (64,), args)


def test_a_fetch_to_the_l2_cache(rng):
    a, target = numbers(rng, (20, 40), "f4"), np.zeros((20, 40), "f4")
    places, raw = np.array([-4, 15, 4, 3], "i4"), np.zeros(BOX_BYTES, np.uint8)
    both = maps.of(a, (8, 16)), maps.of(target, (8, 16))
    program(FETCHED).launch((1,), (64,), [*both, places, raw, np.int32(512)])
    data = box_of(a, (15, -4), (8, 16), 0)
    assert (target == box_of(data, (-3, -4), (20, 40), 0)).all()


CLIPPED = f"""{HEAD}{MAP}{load_text(2)}
extern "C" __global__ void k(const __grid_constant__ TensorMap out, int rows, int cols) {{
    __shared__ alignas(128) short s[16][64];
    for (int i = threadIdx.x; i < rows * cols; i += blockDim.x) s[i / cols][i % cols] = i;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {{ store_box(s, &out, 0, 0); commit(); wait_stores(); }} // STORE
}}"""


def test_what_a_store_leaves_out_need_not_be_written():
    out = np.zeros((13, 48), "i2")[:, :43]
    args = [maps.of(out, (16, 64)), np.int32(13), np.int32(43)]
    program(CLIPPED).launch((1,), (64,), args)
    assert (out == np.arange(13 * 43).reshape(13, 43)).all()
    with pytest.raises(warpemu.Finding) as caught:
        program(CLIPPED).launch((1,), (64,), [args[0], np.int32(13), np.int32(42)])
    assert caught.value.kind == "uninitialised shared read"


def test_no_map_at_all():
    bogus = np.zeros(1, maps.DTYPE)[0]
    with pytest.raises(warpemu.Finding, match="__grid_constant__"):
        program(TRANSPOSE).launch((1,), (128,), [bogus, bogus, np.int32(1)])


def test_a_map_whose_array_is_gone():
    gone, out = maps.of(np.zeros((32, 32), "f4"), (32, 32)), np.zeros((32, 32), "f4")
    with pytest.raises(warpemu.Finding, match="keep the map's array"):
        program(TRANSPOSE).launch((1,), (128,), [gone, maps.of(out, (32, 32)), np.int32(1)])


def test_a_map_of_another_rank():
    a = np.zeros(64, "f4")
    with pytest.raises(warpemu.Finding, match="1 dimensions, and the instruction 2"):
        program(TRANSPOSE).launch((1,), (128,), [maps.of(a, (32,)), maps.of(a, (32,)), np.int32(1)])


def test_a_read_of_what_nobody_has_written():
    a, out = np.empty((32, 32), "f4"), np.zeros((32, 32), "f4")
    warpemu.mark_uninitialised(a)
    both = maps.of(a, (32, 32), swizzle="128B"), maps.of(out, (32, 32))
    with pytest.raises(warpemu.Finding) as caught:
        program(TRANSPOSE).launch((1,), (128,), [*both, np.int32(1)])
    assert caught.value.kind == "uninitialised global read"


def test_two_blocks_that_store_one_box():
    text = TRANSPOSE.replace("row = blockIdx.x * 32", "row = 0")
    a, out = np.arange(1024, dtype="f4").reshape(32, 32), np.zeros((32, 32), "f4")
    both = maps.of(a, (32, 32), swizzle="128B"), maps.of(out, (32, 32))
    with pytest.raises(warpemu.Finding) as caught:
        program(text).launch((2,), (128,), [*both, np.int32(1)])
    assert caught.value.kind == "global race"


@pytest.mark.parametrize(
    "opcode",
    [
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2}], [%0], {%3}",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%1, {%2, %2}], [%0]",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2, %2, %2}], [%0]",
    ],
)
def test_what_is_not_covered_is_refused(opcode):
    text = f"""{HEAD}{MAP}
    extern "C" __global__ void k(const __grid_constant__ TensorMap m) {{
        __shared__ alignas(128) float s[32];
        asm volatile("{opcode};" :: "r"(at(s)), "l"(&m), "r"(0), "h"((unsigned short)1));
    }}"""
    with pytest.raises(warpemu.EmulatorError, match="does not cover|covers cp but not"):
        program(text)

"""wgmma: products of warpgroups, from shared memory by descriptors or from registers.

Where elements lie is written here as CUTLASS's CuTe writes it: fragments as in
mma_traits_sm90_gmma.hpp (row + 64 * column, strides of lane and element), shared memory by the
canonical layouts of its ``make_gmma_desc`` (in pieces of 16 bytes, exchanged by
``Swizzle<B, 4, 3>``), so that it does not come from the emulator's own formula. All floats are small
multiples of 1/4, whose sums are exact in any order.
"""

# ruff: noqa: E501 (lines of CUDA C++ in strings)

import numpy as np
import pytest
from test_narrow_types import coordinates, nearest, numbers

import warpemu
from warpemu import tensor_map

HOPPER = "compute_90a"
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
DEPTH = {16: 16, 32: 8, 8: 32, 1: 256}  # k, by the bits of an element
MODES = {"none": (0, 0), "128": (1, 3), "64": (2, 2), "32": (3, 1)}  # in descriptors; B of Swizzle
A_FRAGMENTS = {  # by bits: extents and strides of lanes (4, 8, warps), then of elements
    32: ((64, 1, 16), (2, 2), (8, 256)),
    16: ((128, 1, 16), (2, 2, 2), (64, 8, 512)),
    8: ((256, 1, 16), (4, 2, 2), (64, 8, 1024)),
}


def bits_of(matrix, kind):
    """Elements of a matrix as unsigned integers."""
    if kind in ("e4m3", "e5m2"):
        return nearest(matrix.ravel(), kind).reshape(matrix.shape)
    if kind == "f16":
        return matrix.astype("f2").view("u2")
    if kind == "bf16":
        return (matrix.astype("f4").view("u4") >> 16).astype("u2")
    if kind == "tf32":
        return matrix.astype("f4").view("u4")
    return matrix.astype("i1").view("u1")


def rows_of_bytes(matrix, kind):
    """(rows, bytes along k) of a matrix; single bits are packed, lowest first."""
    if kind == "b1":
        return np.packbits(matrix.astype("u1"), axis=1, bitorder="little")
    return np.ascontiguousarray(bits_of(matrix, kind)).view("u1")


def swizzle(place, bits):
    """CuTe's Swizzle<bits, 4, 3>."""
    return place ^ ((place >> 7 & ((1 << bits) - 1)) << 4)


def step(number, extents, strides):
    pairs = zip(coordinates(number, extents), strides, strict=True)
    return sum(digit * stride for digit, stride in pairs)


def put(image, matrix, kind, start, mode, transposed, leading, stride):
    """Lay (rows, k), m or n along rows, into the bytes ``image``, and return its descriptor."""
    number, swizzle_bits = MODES[mode]
    wide = 1 << swizzle_bits  # W of CuTe's layouts, in pieces of 16 bytes
    rows, many = len(matrix), 1 << 20
    if not transposed:
        data = rows_of_bytes(matrix, kind)
        along = leading if mode == "none" else 16
        for row in range(rows):
            for piece in range(data.shape[1] // 16):
                # ((8, m), 2) : ((W, SBO), 1), and LBO in place of 1 with no swizzle
                place = step(row, (8, many), (16 * wide, stride)) + piece * along
                place = swizzle(start + place, swizzle_bits)
                image[place : place + 16] = data[row, 16 * piece : 16 * piece + 16]
    else:
        data = rows_of_bytes(np.ascontiguousarray(matrix.T), kind)
        for k in range(matrix.shape[1]):
            for piece in range(rows // 8):
                if mode == "none":  # ((1, n), (8, k)) : ((X, SBO), (1, LBO))
                    place = piece * stride + step(k, (8, many), (16, leading))
                else:  # ((W, n), (8, k)) : ((1, LBO), (W, SBO))
                    place = step(piece, (wide, many), (16, leading))
                    place += step(k, (8, many), (16 * wide, stride))
                place = swizzle(start + place, swizzle_bits)
                image[place : place + 16] = data[k, 16 * piece : 16 * piece + 16]
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | number << 62


def strides(rows, mode, transposed):
    """(leading, stride) byte offsets of a matrix that fills its memory; where the hardware reads
    none, one that would be wrong."""
    wide = 16 << MODES[mode][1]
    if not transposed:
        return (128, 256) if mode == "none" else (4080, 8 * wide)
    if mode == "none":
        return rows * 16, 128
    return (8 * wide * 2, 8 * wide) if rows * 2 > wide else (4080, 8 * wide)


KERNEL = """
extern "C" __global__ void k(const uint4* image, int pieces, unsigned long long a_place,
                             unsigned long long b_place, const unsigned* a, DTYPE* d, int add) {
    extern __shared__ __align__(1024) uint4 s[];
    for (int i = threadIdx.x; i < pieces; i += blockDim.x) s[i] = image[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    unsigned start = __cvta_generic_to_shared(s) >> 4;
    DTYPE D[REGS];
    for (int i = 0; i < REGS; i++) D[i] = d[(blockIdx.x * blockDim.x + threadIdx.x) * REGS + i];
    unsigned A[4];
    for (int i = 0; i < 4; i++) A[i] = a[threadIdx.x * 4 + i];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    BODY
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < REGS; i++) d[(blockIdx.x * blockDim.x + threadIdx.x) * REGS + i] = D[i];
}"""


def assembly(
    words, registers, c_type, in_registers, tail, a="a_place + start", b="b_place + start"
):
    """An asm statement with one wgmma on D, A or a_place, b_place, add."""
    x = "f" if c_type == "float" else "r"
    d = ", ".join(f"%{i}" for i in range(registers))
    n = registers
    sources = [f'"r"(A[{i}])' for i in range(4)] if in_registers else [f'"l"({a})']
    first = "{" + ", ".join(f"%{n + i}" for i in range(4)) + "}" if in_registers else f"%{n}"
    n += len(sources)
    text = f"{{{d}}}, {first}, %{n}, p{tail};"
    outs = ", ".join(f'"+{x}"(D[{i}])' for i in range(registers))
    sources += [f'"l"({b})', '"r"(add)']
    return (
        f'asm volatile("{{ .reg .pred p; setp.ne.b32 p, %{n + 1}, 0; '
        f'wgmma.mma_async.sync.aligned.{words} {text} }}" : {outs} : {", ".join(sources)});'
    )


def kernel(words, registers, c_type, in_registers=False, tail=", 1, 1, 0, 0", body=None):
    body = body or assembly(words, registers, c_type, in_registers, tail)
    text = KERNEL.replace("BODY", body).replace("DTYPE", c_type)
    return text.replace("REGS", str(registers))


def places_of_d(threads, n):
    """(row, column) of each element of d that a thread holds: (threads, n / 2) each."""
    flat = np.array(
        [  # CLayout_64xN
            [
                step(t % 128, (4, 8, 4), (128, 1, 16)) + step(i, (2, 2, n // 8), (64, 8, 512))
                for i in range(n // 2)
            ]
            for t in range(threads)
        ]
    )
    return flat % 64 + (np.arange(threads) // 128 * 64)[:, None], flat // 64


def spread(matrix, kind):
    """A matrix (64 x warpgroups, n) as the threads' registers of d."""
    row, column = places_of_d(len(matrix) * 2, matrix.shape[1])
    values = matrix[row, column]
    if kind == "f16":
        return np.ascontiguousarray(values.astype("f2")).view("u4")
    return np.ascontiguousarray(values.astype({"f32": "f4", "s32": "i4"}[kind]))


def fragment(matrix, kind):
    """A matrix (64, k) as the threads' registers of a."""
    lanes, extents, element = A_FRAGMENTS[BITS[kind]]
    flat = bits_of(matrix, kind).ravel(order="F")
    count = int(np.prod(extents))
    values = [
        [flat[step(t, (4, 8, 4), lanes) + step(i, extents, element)] for i in range(count)]
        for t in range(128)
    ]
    return np.ascontiguousarray(np.array(values, flat.dtype)).view("u4")


def multiply(
    compiled,
    rng,
    kinds=("f32", "bf16", "bf16"),
    n=16,
    modes=("128", "128"),
    transposed=(False, False),
    in_registers=False,
    signs=(1, 1),
    add=1,
    starts=None,
):
    """Run one wgmma on random matrices and compare all of d."""
    d_kind, a_kind, b_kind = kinds
    k_size = DEPTH[BITS[a_kind]]
    a, b = numbers(rng, a_kind, (64, k_size)), numbers(rng, b_kind, (n, k_size))
    c = rng.integers(-99, 100, (64, n)) / (1 if d_kind == "s32" else 4)
    starts = starts or (0, 16384)
    image = rng.integers(0, 256, 49152, dtype="u1")
    a_place = put(
        image, a, a_kind, starts[0], modes[0], transposed[0], *strides(64, modes[0], transposed[0])
    )
    b_place = put(
        image, b, b_kind, starts[1], modes[1], transposed[1], *strides(n, modes[1], transposed[1])
    )
    tail = ""
    if d_kind != "s32":
        turned = transposed[1:] if in_registers else transposed
        tail = "".join(f", {s}" for s in signs)
        tail += "".join(f", {int(t)}" for t in turned) if BITS[a_kind] == 16 else ""
    c_type = {"f32": "float", "f16": "unsigned", "s32": "int"}[d_kind]
    registers = n // 4 if d_kind == "f16" else n // 2
    words = f"m64n{n}k{k_size}.{d_kind}.{a_kind}.{b_kind}" + (".and.popc" * (a_kind == "b1"))
    k = compiled(kernel(words, registers, c_type, in_registers, tail), arch=HOPPER)
    product = signs[0] * signs[1] * (a @ b.T)
    want = spread(product + (c if add else 0), d_kind)
    d = spread(c, d_kind)
    held = fragment(a, a_kind) if in_registers else np.zeros((128, 4), "u4")
    arguments = [
        image.view("u4"),
        np.int32(len(image) // 16),
        np.uint64(a_place),
        np.uint64(b_place),
    ]
    k.launch((1,), (128,), [*arguments, held, d, np.int32(add)], shared_bytes=len(image))
    assert (d == want).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("a_turned", [False, True])
@pytest.mark.parametrize("b_turned", [False, True])
def test_layouts(compiled, rng, mode, a_turned, b_turned):
    other = {"none": "64", "64": "none", "128": "32", "32": "128"}[mode]
    multiply(compiled, rng, ("f32", "f16", "f16"), 32, (mode, other), (a_turned, b_turned))


@pytest.mark.parametrize("n", [8, 24, 64, 256])
@pytest.mark.parametrize("mode", ["none", "128"])
def test_widths(compiled, rng, n, mode):
    multiply(compiled, rng, n=n, modes=("128", mode))
    multiply(compiled, rng, n=n, modes=(mode, mode), transposed=(True, n % 64 == 0))


@pytest.mark.parametrize("ahead", [32, 64, 96])
def test_a_step_along_k_within_the_swizzle(compiled, rng, ahead):
    """The address of the descriptor moves on by 32 bytes, as all kernels do it."""
    multiply(compiled, rng, n=64, starts=(ahead, 16384 + 128 - 32 - ahead))
    if ahead == 32:
        multiply(compiled, rng, n=64, modes=("64", "64"), starts=(ahead, 16384))


@pytest.mark.parametrize(
    "kinds",
    [
        ("f32", "bf16", "bf16"),
        ("f32", "f16", "f16"),
        ("f16", "f16", "f16"),
        ("f32", "tf32", "tf32"),
        ("f32", "e4m3", "e5m2"),
        ("f16", "e5m2", "e5m2"),
        ("s32", "s8", "u8"),
        ("s32", "u8", "s8"),
    ],
)
@pytest.mark.parametrize("in_registers", [False, True])
def test_types(compiled, rng, kinds, in_registers):
    multiply(compiled, rng, kinds, 32, in_registers=in_registers)
    multiply(compiled, rng, kinds, 16, ("none", "32"), in_registers=in_registers, add=0)


def test_single_bits(compiled, rng):
    multiply(compiled, rng, ("s32", "b1", "b1"), 16, ("128", "none"))


@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (-1, -1)])
def test_signs(compiled, rng, signs):
    multiply(compiled, rng, signs=signs)
    multiply(
        compiled, rng, ("f16", "f16", "f16"), signs=signs, in_registers=True, modes=("128", "64")
    )
    multiply(compiled, rng, signs=signs, add=0, in_registers=True, transposed=(False, True))


@pytest.mark.parametrize("word", ["", ".satfinite"])
def test_overflow_of_integers(compiled, word):
    k = compiled(kernel(f"m64n8k32{word}.s32.s8.s8", 4, "int", tail=""), arch=HOPPER)
    image = np.zeros(32768, "u1")
    a, b = (
        np.full((64, 32), 100),
        np.full((8, 32), 100) * np.where(np.arange(8) % 2, -1, 1)[:, None],
    )
    a_place = put(image, a, "s8", 0, "128", False, 16, 1024)
    b_place = put(image, b, "s8", 16384, "128", False, 16, 1024)
    c = np.where(a @ b.T > 0, 2**31 - 50, 50 - 2**31)
    total = a @ b.T + c
    want = np.clip(total, -(2**31), 2**31 - 1) if word else (total + 2**31) % 2**32 - 2**31
    d = spread(c, "s32")
    arguments = [image.view("u4"), np.int32(2048), np.uint64(a_place), np.uint64(b_place)]
    arguments += [np.zeros((128, 4), "u4"), d, np.int32(1)]
    k.launch((1,), (128,), arguments, shared_bytes=len(image))
    assert (d == spread(want, "s32")).all()


# Several warpgroups, blocks and steps ------------------------------------------------------------
TILES = """
extern "C" __global__ void k(const unsigned short* a, const unsigned short* b, float* c, int n, int k) {
    extern __shared__ __align__(1024) unsigned char s[];   // a: 128 x 64, b: 64 x 64, as the swizzle wants
    int t = threadIdx.x, group = t / 128;
    float D[32];
    for (int i = 0; i < 32; i++) D[i] = 0;
    unsigned start = __cvta_generic_to_shared(s);
    for (int k0 = 0; k0 < k; k0 += 64) {
        for (int i = t; i < 192 * 8; i += 256) {
            int row = i / 8, piece = i % 8;
            const unsigned short* from = row < 128 ? &a[(blockIdx.x * 128 + row) * k] : &b[(blockIdx.y * 64 + row - 128) * k];
            *(uint4*)&s[row * 128 + (piece ^ row % 8) * 16] = *(const uint4*)&from[k0 + piece * 8];
        }
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        #pragma unroll
        for (int step = 0; step < 4; step++) {
            unsigned long long a_place = start + group * 8192 + step * 32, b_place = start + 16384 + step * 32;
            a_place = a_place >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
            b_place = b_place >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
            int add = 1;
            PRODUCT
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        WAIT
        __syncthreads();
    }
    for (int i = 0; i < 32; i++) {
        int row = blockIdx.x * 128 + group * 64 + t % 128 / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
        c[row * n + blockIdx.y * 64 + t % 4 * 2 + i % 2 + i / 4 * 8] = D[i];
    }
}"""
PRODUCT = assembly(
    "m64n64k16.f32.bf16.bf16", 32, "float", False, ", 1, 1, 0, 0", "a_place", "b_place"
)
FENCE = 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");'
COMMIT = 'asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");'
FENCES = 'asm volatile("fence.proxy.async;" ::: "memory");'
WAIT = 'asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");'


def tiles(compiled, rng, text, m=256, n=128, k=192):
    a, b = rng.integers(-7, 8, (m, k)) / 4, rng.integers(-7, 8, (n, k)) / 4
    c = np.zeros((m, n), "f4")
    arguments = [bits_of(a, "bf16"), bits_of(b, "bf16"), c, np.int32(n), np.int32(k)]
    text = text.replace("PRODUCT", PRODUCT).replace("WAIT", WAIT)
    report = compiled(text, arch=HOPPER).launch(
        (m // 128, n // 64), (256,), arguments, shared_bytes=24576, trace=True
    )
    assert (c == a @ b.T).all()
    return report


def test_tiles(compiled, rng):
    report = tiles(compiled, rng, TILES)
    opcode = "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"
    assert report.opcodes[opcode] == 4 * 8 * 3 * 4 and report.shared_ld_requests == 0


def test_the_proxy_fence_of_who_reads(compiled, rng):
    """Behind the barrier it is as good as before it."""
    ours = FENCES + "\n        __syncthreads();"
    assert ours in TILES
    tiles(compiled, rng, TILES.replace(ours, "__syncthreads(); " + FENCES))


def test_warps_that_come_one_after_the_other(compiled, rng):
    """Each warp of a warpgroup takes a time of its own before the product."""
    late = """
        float wasted = 0;
        for (int i = 0; i < t / 32 * 3 + t % 7; i++) wasted += a[(t + i) % k] * 1e-30f;
        if (wasted > 1) D[0] += 1;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");"""
    tiles(compiled, rng, TILES.replace("        #pragma unroll", late + "\n        #pragma unroll"))


def test_each_warpgroup_has_its_own_branch(compiled, rng):
    fork = 'if (group == 0) { asm volatile("// one"); PRODUCT } else { PRODUCT }'
    tiles(compiled, rng, TILES.replace("            PRODUCT", "            " + fork))


# A ring of tensor copies ---------------------------------------------------------------------------
RING = """
struct __align__(64) Map { unsigned long long words[16]; };
__device__ unsigned place(const void* p) { return __cvta_generic_to_shared(p); }
__device__ void wait(unsigned bar, int phase) {
    unsigned done = 0;
    while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(phase) : "memory");
}
__device__ void arrive(unsigned bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory"); }
__device__ void fetch(unsigned to, const Map* map, int x, int y, unsigned bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
        :: "r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
extern "C" __global__ __launch_bounds__(384) void k(const __grid_constant__ Map a, const __grid_constant__ Map b, float* c, int n, int k) {
    extern __shared__ __align__(1024) unsigned char s[];     // STAGES times a: 128 x 64, b: 64 x 64
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    int t = threadIdx.x, group = t / 128;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(place(&full[i])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" :: "r"(place(&empty[i])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (t == 256) for (int i = 0; i * 64 < k; i++) {
            unsigned stage = i % STAGES, here = place(s) + stage * 24576, bar = place(&full[stage]);
            if (i >= STAGES) wait(place(&empty[stage]), (i / STAGES - 1) & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 24576;" :: "r"(bar) : "memory");
            fetch(here, &a, i * 64, blockIdx.x * 128, bar);
            fetch(here + 16384, &b, i * 64, blockIdx.y * 64, bar);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float D[32] = {};
    for (int i = 0; i * 64 < k; i++) {
        unsigned stage = i % STAGES, here = place(s) + stage * 24576;
        wait(place(&full[stage]), i / STAGES & 1);
        LATE
        FENCE
        #pragma unroll
        for (int step = 0; step < 4; step++) {
            unsigned long long a_place = here + group * 8192 + step * 32, b_place = here + 16384 + step * 32;
            a_place = a_place >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
            b_place = b_place >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
            int add = 1;
            PRODUCT
        }
        COMMIT
        LEAVE
    }
    WAIT
    for (int i = 0; i < 32; i++) {
        int row = blockIdx.x * 128 + group * 64 + t % 128 / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
        c[row * n + blockIdx.y * 64 + t % 4 * 2 + i % 2 + i / 4 * 8] = D[i];
    }
}"""
KEEP_ONE = WAIT.replace("0;", "1;")
LEAVES = {  # what lets the stage go: that of this step, or of the one before
    "at once": WAIT + " if (t % 128 == 0) arrive(place(&empty[stage]));",
    "one behind": KEEP_ONE + " if (t % 128 == 0 && i) arrive(place(&empty[(i - 1) % STAGES]));",
    "too early": KEEP_ONE + " if (t % 128 == 0) arrive(place(&empty[stage]));",
    "without a wait": "if (t % 128 == 0) arrive(place(&empty[stage]));",
}


def ring(compiled, rng, leave, late="", m=256, n=128, k=448):
    a = np.ascontiguousarray(bits_of(rng.integers(-7, 8, (m, k)) / 4, "bf16"))
    b = np.ascontiguousarray(bits_of(rng.integers(-7, 8, (n, k)) / 4, "bf16"))
    maps = []
    for matrix, rows in ((a, 128), (b, 64)):
        fields = (0, "bfloat16", (k, len(matrix)), (2 * k,), (64, rows), (1, 1), "none", "128B")
        maps.append(tensor_map.encode(tensor_map.TensorMap(*fields), matrix))
    text = RING
    names = {"LEAVE": LEAVES[leave], "PRODUCT": PRODUCT, "FENCE": FENCE, "COMMIT": COMMIT}
    names["LATE"] = late
    for old, new in (names | {"WAIT\n": WAIT + "\n", "STAGES": "3"}).items():
        text = text.replace(old, new)
    c = np.zeros((m, n), "f4")
    compiled(text, arch=HOPPER).launch(
        (m // 128, n // 64), (384,), [*maps, c, np.int32(n), np.int32(k)], shared_bytes=3 * 24576
    )
    wide = [(x.astype("u4") << 16).view("f4").astype("f8") for x in (a, b)]
    assert (c == wide[0] @ wide[1].T).all()


@pytest.mark.parametrize("leave", ["at once", "one behind"])
def test_a_ring_of_tensor_copies(compiled, rng, leave):
    """A warp that fetches and two warpgroups that multiply, as all fast kernels for Hopper."""
    ring(compiled, rng, leave)


def test_warps_of_a_ring_that_come_late(compiled, rng):
    """One thread lets a stage go for all four warps, whose product it has waited for."""
    late = 'for (int j = 0; j < t / 32 * 40; j++) asm volatile("nanosleep.u32 1;");'
    ring(compiled, rng, "at once", late)


@pytest.mark.parametrize("leave", ["too early", "without a wait"])
def test_a_stage_that_is_fetched_anew_too_early(compiled, rng, leave):
    with pytest.raises(warpemu.Finding, match="the wgmma of line .* may still read it") as caught:
        ring(compiled, rng, leave)
    assert caught.value.kind == UNFINISHED


# Faults ------------------------------------------------------------------------------------------
UNFINISHED = "unfinished wgmma"


@pytest.mark.parametrize(
    "change, kind, says",
    [
        ({"WAIT": ""}, UNFINISHED, "may still read it: wait for it"),
        ({"WAIT": WAIT.replace("0;", "1;")}, UNFINISHED, "may still read it"),
        ({COMMIT: ""}, UNFINISHED, "may still read it"),
        (
            {"WAIT\n        __syncthreads();": "__syncthreads(); WAIT"},
            UNFINISHED,
            "the wgmma of line 23 read: wait",
        ),
        ({"WAIT": "D[3] *= 2; WAIT"}, UNFINISHED, "a result of the wgmma of line 23"),
        ({"WAIT": "if (D[3] > 2) c[0] = 0; WAIT"}, UNFINISHED, "a result of the wgmma of line 23"),
        ({FENCE: ""}, "missing wgmma.fence", "no wgmma.fence comes before it"),
        ({"int add = 1;": "int add = 1; if (step == 2) D[5] += 1;"}, UNFINISHED, "a result of"),
        (
            {"#pragma unroll": "D[5] *= c[t] + 2;\n        #pragma unroll"},
            "missing wgmma.fence",
            "was written by",
        ),
        ({FENCES + "\n        __syncthreads();": FENCES}, "missing __syncwarp", "no __syncwarp"),
        ({FENCES: ""}, "missing proxy fence", "tensor core does not see ordinary writes"),
    ],
)
def test_faults(compiled, rng, change, kind, says):
    text = TILES
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(warpemu.Finding, match=says) as caught:
        tiles(compiled, rng, text, n=64)
    assert caught.value.kind == kind


def test_results_that_wait_their_turn(compiled, rng):
    """Two products in flight: the first may be read when one is left, the second may not."""
    text = """
    extern "C" __global__ void k(float* c, int early) {
        __shared__ __align__(1024) uint4 s[512];
        for (int i = threadIdx.x; i < 512; i += 128) s[i] = make_uint4(0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80);
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        unsigned long long a_place = __cvta_generic_to_shared(s) >> 4 | 8ull << 16 | 16ull << 32, b_place = a_place;
        float D[4] = {}, E[4] = {}; int add = 0;
        FENCE
        FIRST COMMIT SECOND COMMIT
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        float sum = D[0] + D[1];
        if (early) c[threadIdx.x] = E[2];    // HERE
        WAIT
        c[threadIdx.x] = sum + E[3];
    }"""
    first = assembly(
        "m64n8k16.f32.bf16.bf16", 4, "float", False, ", 1, 1, 0, 0", "a_place", "b_place"
    )
    names = {
        "FENCE": FENCE,
        "FIRST": first,
        "SECOND": first.replace("(D[", "(E["),
        "COMMIT": COMMIT,
    }
    for old, new in (names | {"WAIT": WAIT}).items():
        text = text.replace(old, new)
    k, c = compiled(text, arch=HOPPER), np.zeros(128, "f4")
    k.launch((1,), (128,), [c, np.int32(0)])
    assert (c == 48).all()
    with pytest.raises(warpemu.Finding, match="reads a result of the wgmma of line 10") as caught:
        k.launch((1,), (128,), [c, np.int32(1)])
    assert (caught.value.kind, caught.value.line) == (UNFINISHED, 13)
    k.launch((1,), (128,), [c, np.int32(1)], sanitize=False, not_on_gpu="it reads too early")


def one(compiled, body, **changes):
    """Launch KERNEL with this body, on zeros."""
    k = compiled(kernel("", 4, "float", body=body), arch=HOPPER)
    place = np.uint64(1 << 16 | 64 << 32 | 1 << 62)
    given = {"grid": 1, "block": 128, "a": place, "b": place, "bytes": 8192} | changes
    image, d = np.zeros(given["bytes"], "u1"), np.zeros((given["grid"] * given["block"], 4), "f4")
    arguments = [image.view("u4"), np.int32(len(image) // 16), given["a"], given["b"]]
    arguments += [np.zeros((given["block"], 4), "u4"), d, np.int32(1)]
    k.launch((given["grid"],), (given["block"],), arguments, shared_bytes=len(image))


ONE = assembly("m64n8k16.f32.bf16.bf16", 4, "float", False, ", 1, 1, 0, 0")


@pytest.mark.parametrize(
    "body, changes, kind, says",
    [
        (f"if (threadIdx.x < 96) {{ {ONE} }}", {}, "missing lanes", "0 times and another warp"),
        (f"if (threadIdx.x % 32 < 16) {{ {ONE} }}", {}, "missing lanes", "all 32 lanes"),
        (f"if (threadIdx.x >= 96) return; {ONE}", {}, "missing lanes", "0 times and another warp"),
        (ONE, {"block": 160}, "missing lanes", "with 160 threads the block's last one"),
        (ONE, {"bytes": 4096}, "shared out of bounds", "leads to offset 8"),
        (ONE, {"a": np.uint64(1 << 49 | 64 << 32)}, "base offset", "multiple of 1024"),
        (f"b_place += threadIdx.x / 64; {ONE}", {}, "lanes of a warpgroup disagree", "descriptor"),
        (f"add = threadIdx.x % 2; {ONE}", {}, "lanes of a warpgroup disagree", "scale-d"),
    ],
    ids=[
        "96 threads",
        "half warps",
        "96 threads left",
        "160 threads",
        "half the bytes",
        "base offset",
        "two descriptors",
        "two predicates",
    ],
)
def test_what_a_warpgroup_must_not_do(compiled, body, changes, kind, says):
    one(compiled, ONE)
    with pytest.raises(warpemu.Finding, match=says) as caught:
        one(compiled, body, **changes)
    assert caught.value.kind.startswith(kind)


@pytest.mark.parametrize(
    "words, tail, why",
    [
        ("m64n8k8.f32.bf16.bf16", ", 1, 1, 0, 0", "this shape and type"),
        ("m64n8k16.f32.bf16.f16", ", 1, 1, 0, 0", "these types together"),
        ("m64n8k16.f32.bf16.bf16", ", 1, 1", "other than 4 constants"),
        ("m64n8k16.f32.bf16.bf16", ", 2, 1, 0, 0", "these constants"),
        ("sp.m64n8k32.f32.bf16.bf16", ", 1, 1, 0, 0", "not .sp"),
        ("m64n40k32.s32.s8.s8", "", "this shape and type"),
        ("m64n16k16.f32.bf16.bf16", ", 1, 1, 0, 0", "4 registers of d"),
        ("m64n8k256.s32.b1.b1", "", "this operation"),
        ("m64n8k32.satfinite.f32.e4m3.e4m3", ", 1, 1", "saturation"),
    ],
)
def test_refused(compiled, words, tail, why):
    body = assembly(words, 4, "float" if "f32" in words else "int", False, tail)
    body = body.replace("mma_async.sync.aligned.sp", "mma_async.sp.sync.aligned")
    with pytest.raises(warpemu.EmulatorError, match=f"line 14: .*cover.*{why}"):
        compiled(kernel("", 4, "float" if "f32" in words else "int", body=body), arch=HOPPER)

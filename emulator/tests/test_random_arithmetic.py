"""Random PTX arithmetic against exact models on Python's integers and Fractions.

Each test runs some instructions of exact_arithmetic.FORMS, each on edge values and random bits in
one launch. The seeds are fresh in every run and printed where one fails; ARITHMETIC=500 runs so
many tests, SEED=... repeats one. With HW=1 the models judge what a GPU computes as well.
"""

import os
from fractions import Fraction

import exact_arithmetic
import numpy as np
import pytest
from emulator_helpers import HW, OnGpu, needs_gpu, program_of_ptx
from exact_arithmetic import FLOATS, FORMS, MODES, WIDTH

from warpemu.ops import coverage

LANES = 256
TOGETHER = 24  # instructions in one launch
RUNS = int(os.environ.get("ARITHMETIC", 6))
SEED = int(os.environ.get("SEED", 0))
FAMILIES = ("arithmetic", "floats", "integer", "carry", "bits", "compare", "cvt")
IN, OUT = 8, 3  # the most operands of a form


def register(kind, number):
    letter = {1: "p", 8: "r", 16: "h", 32: "r", 64: "d"}[WIDTH[kind]]
    return f"%{letter}{number}"


def bits_of(kind):
    """Of the register that holds it."""
    return max(WIDTH[kind], 32) if WIDTH[kind] == 8 else max(WIDTH[kind], 16)


HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 values, .param .u64 results)
{
.reg .pred %p<REGISTERS>;
.reg .b16 %h<REGISTERS>;
.reg .b32 %r<REGISTERS>;
.reg .b64 %d<REGISTERS>;
.reg .b32 %lane;
.reg .b64 %in, %out, %offset;
mov.u32 %lane, %tid.x;
mul.wide.u32 %offset, %lane, 8;
ld.param.u64 %in, [values];
ld.param.u64 %out, [results];
add.u64 %in, %in, %offset;
add.u64 %out, %out, %offset;
"""


def written(forms, values, constant):
    """The PTX that runs all forms. values: (forms, IN, lanes) uint64; constant: (forms, IN) bools,
    operands that are the same for all lanes, and in the text.
    """
    lines, n = [], 0
    for k, form in enumerate(forms):
        names = []
        for j, kind in enumerate(form.ins):
            if isinstance(kind, int):
                names.append(hex(kind))
                continue
            name, bits = register(kind, n), bits_of(kind)
            target = f"%h{n}" if kind == "pred" else name
            if constant[k, j]:
                value = int(values[k, j, 0]) & (1 << bits) - 1
                lines.append(f"mov.b{bits} {target}, {value:#x};")
            else:
                place = (IN * k + j) * LANES * 8
                lines.append(f"ld.global.b{bits} {target}, [%in+{place}];")
            if kind == "pred":
                lines.append(f"setp.ne.b16 {name}, {target}, 0;")
            names.append(name)
            n += 1
        outs = [register(kind, n + j) for j, kind in enumerate(form.outs)]
        if ";" not in form.opcode:
            lines.append(f"{form.opcode} {'|'.join(outs)}, {', '.join(names)};")
        else:
            for opcode, out in zip(form.opcode.split(";"), outs, strict=True):
                count = 3 if opcode.startswith("mad") else 2
                lines.append(f"{opcode} {out}, {', '.join(names[:count])};")
                names = names[count:]
        for j, (kind, name) in enumerate(zip(form.outs, outs, strict=True)):
            if kind == "pred":
                lines.append(f"selp.b16 %h{n}, 1, 0, {name};")
                name = f"%h{n}"
            place = (OUT * k + j) * LANES * 8
            lines.append(f"st.global.b{bits_of(kind)} [%out+{place}], {name};")
            n += 1
    return HEAD.replace("REGISTERS", str(n + 1)) + "\n".join(lines) + "\nret;\n}\n"


def edges(kind):
    """Bits of values at the ends of ranges."""
    bits = WIDTH[kind]
    top = 1 << bits - 1
    if kind not in FLOATS:
        small = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255]
        return [x % (2 * top) for x in [*small, -1, -2, top, top - 1, top + 1, top // 2]]
    one = exact_arithmetic.encode(Fraction(1), kind)
    _, fraction_bits = FLOATS[kind]
    step = 1 << fraction_bits
    infinite = ((1 << FLOATS[kind][0]) - 1) << fraction_bits
    positive = [0, 1, 2, 3, step // 2, step - 1, step, step + 1, 2 * step, 2 * step - 1]
    positive += [one - step, one - 1, one, one + 1, one + step, one + step // 2, one + 2 * step]
    positive += [infinite - 1, infinite - step, infinite - 2 * step, infinite, infinite]
    positive += [infinite + step // 2, one // 2, infinite - one // 2]
    return positive + [x | top for x in positive]


def drawn(kind, rng):
    """LANES values: edges, random bits, and floats of middling size with few bits set."""
    if kind.endswith("x2"):
        half = {"u16x2": "u16", "s16x2": "s16"}.get(kind, kind[:-2])
        return drawn(half, rng) | drawn(half, rng) << np.uint64(16)
    if kind == "pred":
        return rng.integers(0, 2, LANES).astype(np.uint64)
    bits = WIDTH[kind]
    mask = np.uint64((1 << bits) - 1)
    random = rng.integers(0, 2**64, LANES, np.uint64) & mask
    edge = rng.choice(np.array(edges(kind), np.uint64), LANES)
    if kind in FLOATS:
        fraction_bits = FLOATS[kind][1]
        one = exact_arithmetic.encode(Fraction(1), kind) >> fraction_bits
        exponent = rng.integers(one - 3, one + fraction_bits + 4, LANES).astype(np.uint64)
        sparse = rng.integers(0, 2**64, LANES, np.uint64) & rng.integers(0, 2**64, LANES, np.uint64)
        near = (exponent << np.uint64(fraction_bits)) | sparse & np.uint64((1 << fraction_bits) - 1)
        near |= rng.integers(0, 2, LANES).astype(np.uint64) << np.uint64(bits - 1)
    else:
        near = random >> rng.integers(0, bits, LANES).astype(np.uint64)
    spare = np.uint64(0xFFFFFF00 if bits == 8 else 0)  # what the register holds above
    above = rng.integers(0, 2**64, LANES, np.uint64) & spare
    return np.choose(rng.choice(3, LANES, p=[0.45, 0.25, 0.3]), [edge, random, near]) | above


def relate(form, values, rng):
    """In some lanes make operands belong together: the second one the first, perhaps with the
    other sign, and the last of three floats about minus the product of the others.
    """
    kind = form.ins[-1]
    if len(form.ins) < 2 or form.ins != (kind,) * len(form.ins) or kind not in FLOATS:
        return
    top = np.uint64(1 << WIDTH[kind] - 1)
    sign = rng.integers(0, 2, LANES).astype(np.uint64) * top
    values[1] = np.where(rng.random(LANES) < 0.15, values[0] ^ sign, values[1])
    zeros = rng.integers(0, 2, (2, LANES)).astype(np.uint64) * top
    values[:2] = np.where(rng.random(LANES) < 0.03, zeros, values[:2])
    if len(form.ins) == 3:
        for lane in np.flatnonzero(rng.random(LANES) < 0.2):
            a, b = (exact_arithmetic.decode(int(v), kind) for v in values[:2, lane])
            product = -exact_arithmetic.product(a, b)
            values[2, lane] = exact_arithmetic.encode(product, kind, rng.choice(MODES))


def is_nan(bits, kind):
    if kind.endswith("x2"):
        return False
    return kind in FLOATS and (v := exact_arithmetic.decode(bits, kind)) != v


def agree(got, want, kind):
    if want is None or got == want:
        return True
    if isinstance(want, set):
        return any(agree(got, one, kind) for one in want)
    if kind in ("f16x2", "bf16x2"):
        return all(agree(got >> n & 0xFFFF, want >> n & 0xFFFF, kind[:-2]) for n in (0, 16))
    return is_nan(got, kind) and is_nan(want, kind)


def run(forms, values, constant):
    """{who computed them: the results of all forms, (forms, OUT, lanes)}."""
    out = np.zeros((len(forms), OUT, LANES), np.uint64)
    program = program_of_ptx(written(forms, values, constant), "k", "k.ptx")
    launch = (1,), (LANES,), [values, out]
    found = {}
    if HW:
        needs_gpu()
        held = {id(values): values.copy(), id(out): out.copy()}
        OnGpu(program).launch(*launch, held, {}, 0)
        found["GPU"] = held[id(out)]
    program.launch(*launch, not_on_gpu="the models judge the GPU, which has NaNs of its own")
    return found | {"emulator": out}


def faults(forms, rng):
    """Run all forms in one launch; [text] of the results that no model allows, one a form."""
    values = np.zeros((len(forms), IN, LANES), np.uint64)
    constant = rng.random((len(forms), IN)) < 0.1
    for k, form in enumerate(forms):
        for j, kind in enumerate(form.ins):
            if not isinstance(kind, int):
                values[k, j] = drawn(kind, rng)
        relate(form, values[k], rng)
    for k, j in np.argwhere(constant):
        values[k, j] = values[k, j, 0]
    found = []
    for who, out in run(forms, values, constant).items():
        found += [f"{who}: {text}" for text in refused(forms, values, out)]
    return found


def refused(forms, values, out):
    """[text] of the results that no model allows, the first of each form."""
    found = []
    for k, form in enumerate(forms):
        count = sum(not isinstance(kind, int) for kind in form.ins)
        for lane in range(LANES):
            given = [int(v) for v in values[k, :count, lane]]
            want = form.model(*given)
            for j, kind in enumerate(form.outs):
                one = want[j] if isinstance(want, tuple) else want
                got = int(out[k, j, lane])
                if not agree(got, one, kind):
                    said = ", ".join(map(hex, given))
                    wanted = one if isinstance(one, set) else {one}
                    wanted = " or ".join(map(hex, sorted(wanted)))
                    found.append(f"{form.opcode} {said}: {got:#x}, not {wanted}")
                    break
            else:
                continue
            break
    return found


def test_all_opcodes_have_forms():
    """Of those that compute exactly."""
    names = {opcode.split(".")[0] for form in FORMS for opcode in form.opcode.split(";")}
    covered = {name for family, name, *_ in coverage() if family in FAMILIES}
    assert covered == names


@pytest.mark.parametrize("number", range(RUNS))
def test_as_exact_models(number):
    seed = SEED or int(np.random.SeedSequence().generate_state(1)[0])
    print(f"SEED={seed}")
    rng = np.random.default_rng(seed)
    names = [form.opcode.split(".")[0] for form in FORMS]
    weight = np.array([names.count(name) for name in names]) ** -0.5  # cvt and set have most
    drawn = rng.choice(len(FORMS), TOGETHER, replace=False, p=weight / weight.sum())
    found = faults([FORMS[k] for k in drawn], rng)
    assert not found, f"SEED={seed}:\n" + "\n".join(found)


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
def test_each_rounding(kind, mode, rng):
    """All arithmetic of a rounding mode, 512 values an instruction."""
    chosen = [f for f in FORMS if f.ins[-1] == kind and f.opcode.split(".")[1] == mode]
    chosen = [f for f in chosen if f.outs == (kind,)]
    assert len(chosen) >= 8
    found = [fault for _ in range(2) for fault in faults(chosen, rng)]
    assert not found, "\n".join(found)


KNOWN = [  # each was wrong once: an opcode, its operands, the result
    ("fma.rp.f64", (0x3FF0 << 48, 0x7FF0 << 48, 0), 0x7FF0 << 48),
    ("fma.rz.f64", (0x56D0 << 48, 0xFDCD << 48, 0x7FF0 << 48), 0x7FF0 << 48),
    ("fma.rn.f64", (0x7FE0 << 48, 0xC010 << 48, 0x7FEFFFFFFFFFFFFF), 0xFFF0 << 48),
    ("fma.rn.f64", (0x7FE0 << 48, 0xC000 << 48, 0x7FEFFFFFFFFFFFFF), 0xFCA0 << 48),
    ("mul.rz.f32", (0x80000000, 0x426E0000), 0x80000000),
    ("rcp.rz.f32", (1,), 0x7F7FFFFF),
    ("rcp.rm.f64", (0x0010000000000001,), 0x7FCFFFFFFFFFFFFE),
    ("add.rz.f64", (0x7FEFFFFFFFFFFFFF,) * 2, 0x7FEFFFFFFFFFFFFF),
    ("add.rm.f32", (0x3F800000, 0xBF800000), 0x80000000),
    ("div.rp.f32", (0xFF7FFFFF, 1), 0xFF7FFFFF),
    ("min.f16", (0x8000, 0), 0x8000),
    ("min.f16", (0, 0x8000), 0x8000),
    ("max.bf16", (0x8000, 0), 0),
    ("max.bf16", (0, 0x8000), 0),
    ("setp.geu.ftz.f32", (0x80000001, 0), 1),
    ("setp.eq.ftz.f16", (1, 0x8000), 1),
    ("set.eq.ftz.u32.f32", (1, 0), 0xFFFFFFFF),
    ("cvt.rn.sat.f32.s32", (7,), 0x3F800000),
    ("cvt.rn.bf16.u64", ((1 << 63) + (1 << 55) + 1,), 0x5F01),
    ("cvt.rz.tf32.f32", (0x7F800001,), 0x7FFFE000),
    ("cvt.rna.tf32.f32", (0x7F803000,), 0x7F802000),
    ("mul.rn.ftz.f32", (0x00800000, 0x3F7FFFFF), 0),
    ("mul.rn.ftz.f32", (0x00800001, 0x3F7FFFFE), 0x00800000),
    ("fma.rm.ftz.f32", (0x80800000, 0x3F7FFFFF, 0), 0x80000000),
    ("div.rp.ftz.f32", (0x00800001, 0x3F800002), 0),
    ("cvt.rn.ftz.f32.f64", (0x380FFFFFE0000000,), 0),
    ("cvt.rn.ftz.f32.f64", (0x380FFFFFF0000000,), 0x00800000),
    ("fns.b32", (0x699D23E7, 0x10, 0x80000000), 0),
    ("mul24.hi.s32", (0xFFFFFF, 0x10000), 0xFFFFFFFF),
    ("szext.wrap.s32", (0x80, 8), 0xFFFFFF80),
    ("bmsk.clamp.b32", (4, 40), 0xFFFFFFF0),
    ("rem.s32", (7, 0), 0xFFFFFFFF),
    ("testp.normal.f32", (0x80000000,), 1),
    ("cvt.rp.ftz.f16.f32", (2,), 1),
    ("bfe.u64", (0x6043317DA1D, 0x10, 0x4B409), 0x6043317),
    ("bfe.u32", (0x6043317D, 0x104, 0x108), 0x17),
    ("bfi.b64", (0x1F, 0xA6, 0x80000000, 2), 0xA6),
]


@pytest.mark.parametrize("opcode, operands, want", KNOWN, ids=[k[0] for k in KNOWN])
def test_known(opcode, operands, want):
    form = next(f for f in FORMS if f.opcode == opcode and len(f.outs) == 1)
    values = np.zeros((1, IN, LANES), np.uint64)
    values[0, : len(operands)] = np.array(operands, np.uint64)[:, None]
    for constant in (False, True):
        assert agree(want, form.model(*operands), form.outs[0])
        for who, got in run([form], values, np.full((1, IN), constant)).items():
            one = int(got[0, 0, 0])
            assert (got[0, 0] == one).all() and agree(one, want, form.outs[0]), (who, hex(one))

"""Random programs without races give what a scalar interpreter gives, and no Finding.

A program is written twice, in CUDA C++ and in Python. In Python each thread is a coroutine over
plain integers, which stops where threads meet: at barriers, shuffles, votes, reductions. Branches
and loops know how far the threads that take them agree: all of a block (barriers may stand there),
all of a warp (warp operations of full warps), the lanes of a mask (warp operations with that mask),
or not at all. Numbers are unsigned, of 32 bits.
"""

import os
import random
from functools import reduce
from operator import and_, or_, xor

import gpu_results
import numpy as np
import pytest
from emulator_helpers import program

MASK = 0xFFFFFFFF
BLOCKS = 3
BLOCK, WARP, MASKED, ALONE = "block", "warp", "masked", "alone"  # who takes a branch together

C_HEAD = """
typedef unsigned u32;
__noinline__ __device__ u32 mix(u32 x, u32 y) {
    for (u32 i = 0; i < (y & 3); i++) x = x * 5 + (x & 1 ? y : i);
    return x ^ (y >> 3);
}
__noinline__ __device__ u32 swap(u32* v, u32 i, u32 x) {
    if (x & 4) { u32 old = v[i & 3]; v[i & 3] = x; return old; }
    return v[(i + 1) & 3];
}
extern "C" __global__ void k(const u32* a, u32* out, u32* sums, u32* tops, u32 n) {
    __shared__ u32 s[T], h[8], q, ws[T];
    u32 t = threadIdx.x, b = blockIdx.x, lane = t % 32, v[4] = {t, 1, b, 7}, m;
    u32 x = t * 3, y = b * 5 + 1, z = a[t & 63], w = a[b + 9], g = b + n;
    float f = t;
"""
C_TAIL = """
    x = x * 31 + y; x = x * 31 + z; x = x * 31 + w; x = x * 31 + g; x = x * 31 + __float_as_uint(f);
    for (int i = 0; i < 4; i++) x = x * 31 + v[i];
    out[b * T + t] = x;
}"""
PY_HEAD = """
def thread(t, b, a, sums, tops, n, T, s, h, one, ws):
    lane, v = t % 32, [t, 1, b, 7]
    x, y, z, w, g = t * 3, b * 5 + 1, a[t & 63], a[b + 9], b + n
    f = float32(t)
"""
PY_TAIL = """
    for value in (y, z, w, g, int(f.view(uint32)), *v):
        x = x * 31 + value & MASK
    return x
"""


def mix(x, y):
    for i in range(y & 3):
        x = x * 5 + (y if x & 1 else i) & MASK
    return x ^ (y >> 3)


def swap(v, i, x):
    if x & 4:
        old, v[i & 3] = v[i & 3], x
        return old
    return v[(i + 1) & 3]


class Writer:
    """Writes one program, in both languages. one_warp: a block has 32 threads, and the program
    alternates shuffles of all of them with branches on which they disagree.
    """

    def __init__(self, seed, one_warp=False):
        self.r = random.Random(seed)
        self.threads = 32 if one_warp else self.r.choice([32, 64, 64, 96, 48])
        self.c, self.py, self.depth, self.names = [], [], 1, 0
        for _ in range(self.r.randint(2, 4)):
            if one_warp:
                self.shuffle("~0u")
                self.nested()
            self.statement(3, BLOCK, "~0u", False)

    def put(self, c, py=None):
        self.c.append("    " * self.depth + c)
        if py:
            self.py.append("    " * self.depth + py)

    def open(self, c, py):
        self.put(c + " {", py + ":")
        self.depth += 1
        self.put("", "pass")

    def close(self):
        self.depth -= 1
        self.put("}")

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def site(self):
        """A number for one place where threads meet."""
        self.names += 1
        return self.names

    # Expressions: (C, Python) ------------------------------------------------------------------
    def leaf(self):
        return self.r.choice(["x", "y", "z", "w", "g", "t", "b", str(self.r.randint(0, 40))])

    def value(self, depth=2):
        """Any number."""
        kind = self.r.randrange(9) if depth else 0
        if kind < 2:
            return (self.leaf(),) * 2
        c, py = self.value(depth - 1)
        d, qy = self.value(depth - 1)
        if kind < 5:
            sign = self.r.choice("+-*^&|")
            return f"({c} {sign} {d})", f"({py} {sign} {qy} & MASK)"
        if kind == 5:
            amount = self.r.randint(0, 9)
            return f"({c} >> {amount})", f"({py} >> {amount})"
        if kind == 6:
            place = self.r.choice(["a[{} & 63]", "v[{} & 3]"])
            return place.format(c), place.format(py)
        if kind == 7:
            return f"mix({c}, {d})", f"mix({py}, {qy})"
        e, ry = self.condition(depth - 1)
        return f"({e} ? {c} : {d})", f"({py} if {ry} else {qy})"

    def condition(self, depth=1):
        """Any truth value, as 0 or 1 in C and a bool in Python."""
        c, py = self.value(depth)
        d, qy = self.value(0)
        kind = self.r.randrange(4)
        if kind == 0:
            bits = self.r.randint(1, 7)
            return f"(({c} & {bits}) != 0)", f"({py} & {bits} != 0)"
        if kind == 1:
            return f"({c} < {d})", f"({py} < {qy})"
        if kind == 2:
            divisor, rest = self.r.randint(2, 5), self.r.randint(0, 1)
            return f"({c} % {divisor} == {rest})", f"({py} % {divisor} == {rest})"
        edge = self.r.randint(0, self.threads)
        return f"(t < {edge})", f"(t < {edge})"

    def agreed(self, who):
        """A condition that is the same for all threads of a block or of a warp."""
        bits, edge = self.r.randint(1, 3), self.r.randint(0, 2)
        block = [f"((g & {bits}) != 0)", f"(b < {edge})", f"((g + b) % 3 != {edge})"]
        warp = [f"(t / 32 == {edge})", f"((t / 32 + g) % 2 == {edge & 1})"]
        text = self.r.choice(block if who == BLOCK else block + warp)
        return text, text.replace("/", "//").replace("(g + b)", "(g + b & MASK)").replace(
            "t // 32 + g", "t // 32 + g & MASK"
        )

    # Statements --------------------------------------------------------------------------------
    def body(self, depth, who, mask, loop):
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth, who, mask, loop)

    def statement(self, depth, who, mask, loop):
        kinds = [self.assign, self.assign, self.memory]
        if depth:
            kinds += [self.branch, self.branch, self.loop, self.switch]
        if loop:
            kinds += [self.leave]
        if who == BLOCK:
            kinds += [self.exchange, self.publish, self.histogram, self.count] * 2
        if who in (BLOCK, WARP):
            kinds += [self.warp_exchange, self.matched]
        if who != ALONE:
            kinds += [self.warp_operation] * 3
        self.r.choice(kinds)(depth, who, mask, loop)

    def assign(self, *_):
        name, (c, py), (d, qy) = self.r.choice("xyzw"), self.value(), self.value(1)
        if self.r.random() < 0.2:
            self.put("f = f * 0.5f + (x & 255);", "f = f * float32(0.5) + float32(x & 255)")
        self.put(f"{name} = {c} + {d};", f"{name} = {py} + {qy} & MASK")

    def memory(self, *_):
        """The thread's own array, or sums and maxima that nobody reads before the end."""
        (c, py), (d, qy) = self.value(1), self.value(1)
        kind = self.r.randrange(4)
        if kind == 0:
            self.put(f"v[{c} & 3] = {d};", f"v[{py} & 3] = {qy}")
        elif kind == 1:
            self.put(f"x = swap(v, {c}, {d});", f"x = swap(v, {py}, {qy})")
        elif kind == 2:
            self.put(f"atomicAdd(sums + ({c} & 15), {d});")
            self.put("", f"place = {py} & 15; sums[place] = sums[place] + {qy} & MASK")
        else:
            self.put(f"atomicMax(tops + ({c} & 15), {d});")
            self.put("", f"place = {py} & 15; tops[place] = max(tops[place], {qy})")

    def branch(self, depth, who, mask, loop):
        other = self.r.random() < 0.5
        if who in (BLOCK, WARP) and self.r.random() < 0.5:
            level = who if self.r.random() < 0.7 else WARP
            c, py = self.agreed(level)
            masks = [mask, mask]
        elif who != ALONE and self.r.random() < 0.6:  # the lanes on each side know one another
            level, flag, here = MASKED, self.name("c"), self.name("m")
            c, py = self.condition()
            self.put(f"bool {flag} = {c};", f"{flag} = {py}")
            self.put(f"u32 {here} = __ballot_sync({mask}, {flag});")
            self.meet(here, "ballot", mask, flag)
            masks = [here, self.name("m")]
            running = "" if mask == "~0u" else f" & {mask}"
            everyone = f"__ballot_sync({mask}, 1)" if mask == "~0u" else mask
            self.put(f"u32 {masks[1]} = {everyone} & ~{here}{running};")
            if mask == "~0u":
                self.meet(masks[1], "ballot", mask, "True")
                self.put("", f"{masks[1]} = {masks[1]} & ~{here}")
            else:
                self.put("", f"{masks[1]} = {mask} & ~{here}")
            c = py = flag
        else:
            level, masks = ALONE, [None, None]
            c, py = self.condition()
        leave = loop if level == who or level == ALONE and loop != "no" else False
        leave = leave if level != MASKED else False
        self.open(f"if ({c})", f"if {py}")
        self.body(depth - 1, level, masks[0], leave)
        self.close()
        if other:
            self.open("else", "else")
            self.body(depth - 1, level, masks[1], leave)
            self.close()

    def nested(self):
        """Two branches, each thread as its numbers say: the lanes inside form no rectangle."""
        for _ in range(2):
            c, py = self.condition()
            self.open(f"if ({c})", f"if {py}")
            self.memory()
            self.assign()
        self.close()
        self.close()

    def loop(self, depth, who, mask, _):
        i = self.name("i")
        level = who if self.r.random() < 0.6 and who != MASKED else ALONE
        if level == BLOCK:
            end, last = self.r.choice([("2", "2"), ("(g & 3)", "(g & 3)"), ("b + 1", "b + 1")])
        elif level == WARP:
            end, last = "(t / 32 + 1)", "(t // 32 + 1)"
        else:
            end, last = self.r.choice([("(t & 3)", "(t & 3)"), ("3", "3"), ("(x & 3)", "(x & 3)")])
        stop = self.name("e")
        self.put(f"u32 {stop} = {end};", f"{stop} = {last}")
        self.open(f"for (u32 {i} = 0; {i} < {stop}; {i}++)", f"for {i} in range({stop})")
        self.body(depth - 1, level, mask if level != ALONE else None, level)
        self.put(f"w += {i};", f"w = w + {i} & MASK")
        self.close()

    def leave(self, depth, who, mask, loop):
        """break or continue, by a condition on which those agree who run the loop together."""
        c, py = self.agreed(loop) if loop in (BLOCK, WARP) else self.condition()
        word = self.r.choice(["break", "continue"])
        self.put(f"if ({c}) {word};")
        self.put("", f"if {py}: {word}")

    def switch(self, depth, who, mask, loop):
        """Three cases, of which the second falls through."""
        c, py = self.value(1)
        chosen = self.name("k")
        self.put(f"u32 {chosen} = {c} & 3;", f"{chosen} = {py} & 3")
        self.put(f"switch ({chosen}) {{")
        for cases, way_on in (((0,), "break;"), ((1,), ""), ((1, 2), "break;")):
            self.put(f"case {cases[-1]}: {{")
            self.put("", f"if {chosen} in {cases}:")
            self.depth += 1
            self.assign()
            if self.r.random() < 0.5:
                self.memory()
            self.depth -= 1
            self.put(f"}} {way_on}")
        self.put("}")

    # Where threads meet ------------------------------------------------------------------------
    def meet(self, name, kind, mask, *values):
        """Python's side of an operation of the lanes in mask (None: of the block)."""
        mask = {"~0u": "MASK", None: "None"}.get(mask, mask)
        values = "".join(f", {value}" for value in values)
        self.put("", f"{name} = yield {self.site()}, {kind!r}, {mask}{values}")

    def barrier(self):
        self.put("__syncthreads();")
        self.meet("_", "barrier", None)

    def exchange(self, *_):
        """Write one's own word, read another's."""
        (c, py), (d, qy), name = self.value(), self.value(1), self.r.choice("xyzw")
        self.put(f"s[t] = {c};", f"s[t] = {py}")
        self.barrier()
        self.put(f"{name} ^= s[({d} & 1023) % T];", f"{name} ^= s[({qy} & 1023) % T]")
        if self.r.random() < 0.5:
            self.put(f"z += s[{self.threads - 1}];", f"z = z + s[{self.threads - 1}] & MASK")
        self.barrier()

    def publish(self, *_):
        """One thread writes a word that all read, here or after another has written it."""
        owner, old = self.r.randrange(self.threads), self.name("q")
        for part in range(2):
            c, py = self.value(1)
            self.open(f"if (t == {owner})", f"if t == {owner}")
            self.put(f"q = {c};", f"one[0] = {py}")
            self.close()
            self.barrier()
            target = f"u32 {old}" if part == 0 else "g"
            self.put(f"{target} = q;", f"{target.removeprefix('u32 ')} = one[0]")
            self.barrier()
        self.put(f"x = x * 3 + {old};", f"x = x * 3 + {old} & MASK")

    def histogram(self, *_):
        """Atomics of all threads, or of some, on words that are read behind a barrier."""
        (c, py), (d, qy), (e, ry) = self.value(1), self.value(1), self.condition()
        fn = self.r.choice(["Add", "Min", "Max", "Or", "Xor", "And"])
        py_fn = {
            "Add": "{} + {} & MASK",
            "Min": "min({}, {})",
            "Max": "max({}, {})",
            "Or": "{} | {}",
            "Xor": "{} ^ {}",
            "And": "{} & {}",
        }[fn]
        self.open("if (t < 8)", "if t < 8")
        self.put("h[t] = y;", "h[t] = y")
        self.close()
        self.barrier()
        self.open(f"if {e}", f"if {ry}")
        self.put(f"atomic{fn}(h + ({c} & 7), {d});", f"k = {py} & 7")
        self.put("", f"h[k] = {py_fn.format('h[k]', qy)}")
        self.close()
        self.barrier()
        self.put("y += h[x & 7];", "y = y + h[x & 7] & MASK")
        self.barrier()

    def count(self, *_):
        """A barrier that counts, or asks all or any."""
        c, py = self.condition()
        kind = self.r.choice(["count", "or", "and"])
        different = " != 0" if kind != "count" else ""
        self.put(f"g = (g * 7 + (__syncthreads_{kind}({c}){different})) & 0xffff;")
        self.meet("r", f"syncthreads_{kind}", None, py)
        self.put("", "g = g * 7 + r & 0xffff")

    def warp_exchange(self, *_):
        """As exchange, within a warp."""
        (c, py), bit = self.value(1), 1 << self.r.randrange(4)
        self.put(f"ws[t] = {c}; __syncwarp(); w ^= ws[t ^ {bit}]; __syncwarp();", f"ws[t] = {py}")
        self.meet("_", "syncwarp", "~0u")
        self.put("", f"w ^= ws[t ^ {bit}]")
        self.meet("_", "syncwarp", "~0u")

    def matched(self, *_):
        """A reduction of the lanes of a warp that have one number: many masks at once."""
        (c, py), (d, qy), bits = self.value(1), self.value(1), self.r.choice([1, 3, 7])
        self.put(f"m = __match_any_sync(~0u, {c} & {bits});")
        self.meet("m", "match", "~0u", f"{py} & {bits}")
        fn = self.r.choice(["add", "min", "max", "and", "or", "xor"])
        self.put(f"z ^= __reduce_{fn}_sync(m, {d});")
        self.meet("r", fn, "m", qy)
        self.put("", "z ^= r")

    def warp_operation(self, depth, who, mask, loop):
        (c, py), (e, ry), name = self.value(1), self.condition(), self.r.choice("xyzw")
        kind = self.r.randrange(7)
        if kind == 0:
            word = self.r.choice(["any", "all"])
            self.put(f"{name} += __{word}_sync({mask}, {e});")
            self.meet("r", word, mask, ry)
        elif kind == 1:
            self.put(f"{name} += __popc(__ballot_sync({mask}, {e}));")
            self.meet("r", "ballot", mask, ry)
            self.put("", "r = r.bit_count()")
        elif kind == 2:
            fn = self.r.choice(["add", "min", "max", "and", "or", "xor"])
            self.put(f"{name} += __reduce_{fn}_sync({mask}, {c});")
            self.meet("r", fn, mask, py)
        elif mask != "~0u":  # from the first lane of the mask
            self.put(f"{name} += __shfl_sync({mask}, {c}, __ffs({mask}) - 1);")
            self.meet("r", "shfl", mask, py, f"({mask} & -{mask}).bit_length() - 1")
        else:
            self.shuffle(mask, name, (c, py))
            return
        self.put("", f"{name} = {name} + r & MASK")

    def shuffle(self, mask, name=None, value=None):
        """A lane's number from another lane of its warp, all of whose lanes are here."""
        name, (c, py) = name or self.r.choice("xyzw"), value or self.value(1)
        width = 16 if self.threads == 48 else self.r.choice([32, 32, 16, 8])
        mode, amount = self.r.choice(["xor", "up", "down", ""]), self.r.randrange(width)
        source = {
            "xor": f"lane ^ {amount}",
            "up": f"lane - {amount} if lane % {width} >= {amount} else lane",
            "down": f"lane + {amount} if lane % {width} + {amount} < {width} else lane",
            "": f"lane // {width} * {width} + x % {width}",
        }[mode]
        given = amount if mode else f"x % {width}"
        mode = f"_{mode}" if mode else ""
        self.put(f"{name} += __shfl{mode}_sync(~0u, {c}, {given}, {width});")
        self.meet("r", "shfl", mask, py, source)
        self.put("", f"{name} = {name} + r & MASK")


# The scalar interpreter --------------------------------------------------------------------------
REDUCTIONS = {
    "add": lambda p, q: p + q & MASK,
    "min": min,
    "max": max,
    "and": and_,
    "or": or_,
    "xor": xor,
}


def together(kind, lanes):
    """The result of each lane of a warp operation. lanes: {lane: its values}."""
    first = {n: values[0] if values else None for n, values in lanes.items()}
    if kind == "shfl":
        return {n: first[values[1]] for n, values in lanes.items()}
    if kind == "match":
        return {n: sum(1 << k for k in lanes if first[k] == first[n]) for n in lanes}
    if kind == "syncwarp":
        result = None
    elif kind == "ballot":
        result = sum(1 << n for n in lanes if first[n])
    elif kind in ("any", "all"):
        result = int((any if kind == "any" else all)(first.values()))
    else:
        result = reduce(REDUCTIONS[kind], first.values())
    return dict.fromkeys(lanes, result)


def barrier(kind, votes):
    """The result of a barrier. votes: bools, or nothing."""
    if kind == "barrier":
        return None
    return {"count": sum, "or": any, "and": all}[kind.removeprefix("syncthreads_")](votes)


def run_block(thread, threads, *args):
    """What each thread of a block returns."""
    shared = [0] * threads, [0] * 8, [0], [0] * threads
    runs = [thread(t, *args, threads, *shared) for t in range(threads)]
    waiting, results, answers = {}, {}, dict.fromkeys(range(threads))
    while len(results) < threads:
        for t, answer in answers.items():
            try:
                waiting[t] = runs[t].send(answer)
            except StopIteration as end:
                results[t] = end.value
        answers = {}
        sites = {(site, kind) for site, kind, *_ in waiting.values()}
        if len(waiting) == threads and len(sites) == 1 and waiting[0][2] is None:
            answer = barrier(waiting[0][1], [request[-1] for request in waiting.values()])
            answers = {t: int(answer) if answer is not None else None for t in waiting}
        for t, (site, kind, mask, *_) in waiting.items():
            if mask is None or t in answers:
                continue
            base = t // 32 * 32
            named = [n for n in range(32) if mask >> n & 1 and base + n < threads]
            here = [waiting.get(base + n, (None,) * 3) for n in named]
            if all(r[:3] == (site, kind, mask) for r in here):
                lanes = {n: r[3:] for n, r in zip(named, here, strict=True)}
                answers |= {base + n: value for n, value in together(kind, lanes).items()}
        assert answers or not waiting, f"threads wait for ever: {waiting}"
        for t in answers:
            del waiting[t]
    return [results[t] for t in range(threads)]


def interpret(writer, a, n):
    """(out, sums, tops) of a program."""
    space = {"MASK": MASK, "mix": mix, "swap": swap, "float32": np.float32, "uint32": np.uint32}
    exec(PY_HEAD + "\n".join(writer.py) + "\n    if False: yield" + PY_TAIL, space)
    sums, tops, values, out = [0] * 16, [0] * 16, a.tolist(), []
    for b in range(BLOCKS):
        out += run_block(space["thread"], writer.threads, b, values, sums, tops, n)
    return [np.array(x, np.uint32) for x in (out, sums, tops)]


# SEEDS=1000: so many. In 314, NVRTC puts one side of a branch behind the place where lanes meet.
SEEDS = range(int(os.environ["SEEDS"])) if "SEEDS" in os.environ else [*range(99), 314]
ONE_WARP_SEEDS = range(int(os.environ.get("SEEDS", 20)))
if "SEEDS" in os.environ:  # no GPU has recorded all of them
    gpu_results.WAITING.append("test_random_programs")


def agrees(writer, seed):
    """Assert that the emulator writes what the scalar interpreter gives, with no Finding."""
    text = C_HEAD + "\n".join(writer.c) + C_TAIL
    k = program(
        text.replace("T]", f"{writer.threads}]")
        .replace("% T", f"% {writer.threads}")
        .replace("* T", f"* {writer.threads}")
    )
    a = np.random.default_rng(seed).integers(0, 1000, 64).astype(np.uint32)
    want = interpret(writer, a, seed % 7)
    got = [np.zeros(len(w), np.uint32) for w in want]
    k.launch((BLOCKS,), (writer.threads,), [a, *got, np.uint32(seed % 7)], trace=seed % 2 == 0)
    for g, w in zip(got, want, strict=True):
        assert (g == w).all(), f"element {np.flatnonzero(g != w)[0]}\n{text}"


@pytest.mark.parametrize("seed", SEEDS)
def test_as_a_scalar_interpreter(seed):
    agrees(Writer(seed), seed)


@pytest.mark.parametrize("seed", ONE_WARP_SEEDS)
def test_one_warp_a_block_as_a_scalar_interpreter(seed):
    """Blocks of one warp: a register of theirs is once in the shape of the chunk, once by warp."""
    agrees(Writer(seed, one_warp=True), seed)

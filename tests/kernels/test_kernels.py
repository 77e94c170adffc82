"""Every .cu file keeps the house rules and compiles for every architecture that the book names."""

import difflib
import re

import pytest

from warpbook.launch import nvrtc, source

STEPS = sorted(source.KERNELS.glob("*/*.cu"))
SKELETONS = sorted(source.KERNELS.glob("*/exercises/*.cu"))
SOLUTIONS = sorted(source.KERNELS.glob("*/exercises/solutions/*.cu"))
FILES = STEPS + SKELETONS + SOLUTIONS
MOST_LINES, MOST_CHANGED = 70, 24
MOST_LINES_OF_LATER = 200  # of files for tensor cores, asynchronous copies and Hopper
ARCHITECTURES = ["sm_75", "sm_80", "sm_90"]
INCLUDES = {"numbers": {"<cuda_fp16.h>", "<cuda_bf16.h>"}}  # the headers that a topic is about
FIELDS = ("Launch", "Cost", "Assumes")


def name(path):
    """'coalescing/03_float2', and for skeleton and solution alike 'coalescing/exercises/align'."""
    return path.relative_to(source.KERNELS).with_suffix("").as_posix().replace("/solutions/", "/")


def label(path):
    return path.relative_to(source.KERNELS).as_posix()


def header(text):
    """The comment lines that a file begins with."""
    return re.match(r"(?://[^\n]*\n)*", text)[0]


def field(text, key):
    """What the header says after 'Key:', its continuation lines included, or None."""
    found = re.search(rf"^// {key}: +(.*(?:\n//  {{6,}}.*)*)", header(text), re.M)
    return found and re.sub(r"\n// +", " ", found[1]).strip()


def faults(text, name):
    """What in a .cu file breaks the house rules, one sentence each."""
    topic, stem = name.split("/")[0], name.split("/")[-1]
    code = source._without_comments(text)
    found = [f"the first line is not '// {name}: <idea>'"] * (
        not re.match(rf"// {re.escape(name)}: \S", text))
    found += [f"no '{key}:' in the header" for key in FIELDS if not field(text, key)]
    entry = f"{topic}_{re.sub(r'^[0-9]+_', '', stem)}"
    if re.findall(r"__global__\s+void\s+(?:__\w+__\([^)]*\)\s*)?(\w+)", code) != [entry]:
        found.append(f"not exactly one __global__ function, void {entry}")
    most = MOST_LINES if architectures(text) == ARCHITECTURES else MOST_LINES_OF_LATER
    if len(text.splitlines()) > most:
        found.append(f"{len(text.splitlines())} lines; at most {most}")
    found += [f"{word} does not belong here" for word in ("printf", "uint ", "\t")
              if word in code]
    found += [f"#include {header} does not belong here"
              for header in re.findall(r"#include (\S+)", code)
              if header not in INCLUDES.get(topic, ())]
    found += [f"the name {word} says nothing"
              for word in sorted(set(re.findall(r"\b(tmp|idx)\b", code)))]
    barrier = code.find("__syncthreads")
    if barrier >= 0 and re.search(r"\breturn\b", code[:barrier]):
        found.append("return above a __syncthreads()")
    found += [f"line {n} ends in a space" for n, line in enumerate(text.splitlines(), 1)
              if line != line.rstrip()]
    return found + parameters(text) + defines(text)


def parameters(text):
    """Pointers stand one a line with their shape behind them."""
    found = re.search(r"__global__[^(]*(?:\(\d[^)]*\)[^(]*)?\(([^{]*)\)\s*\{", text)
    lines = found[1].splitlines() if found else []
    return [f"not one pointer with its shape behind it: '{line.strip()}'" for line in lines
            if "*" in line and not re.match(r"[^*]*\*[^*,]*,?\)? *// \[.+\]", line)]


def defines(text):
    """The header lists each -D name with the default that the code gives it."""
    given = dict(re.findall(r"^#ifndef (\w+)\n#define \1 ?(.*)$", text, re.M))
    listed = dict(re.findall(r"(\w+) = ([^,;]+?)(?=,|;|\(|$)", field(text, "Defines") or ""))
    if {k: v.strip() for k, v in listed.items()} == given:
        return []
    return [f"Defines: lists {listed or 'none'}, the code has {given or 'none'}"]


def step(old, new):
    """What in a step from one variant to the next breaks the rules; both are file texts."""
    changed = field(new, "Changed")
    if not changed:
        return ["no 'Changed:' in the header"]
    if changed.startswith("rewrite"):
        return [] if len(changed) > len("rewrite: ") else ["'Changed: rewrite' does not say why"]
    before, after = (text[len(header(text)):].splitlines() for text in (old, new))
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    lines = sum(max(b - a, d - c) for tag, a, b, c, d in blocks if tag != "equal")
    return [] if lines <= MOST_CHANGED else [f"{lines} lines changed; at most {MOST_CHANGED}"]


def before(path):
    """The variant that a step starts from: the one its header names, or the one above it."""
    named = re.search(r"\(from (\w+)\)", header(path.read_text()))
    above = [p for p in STEPS if p.parent == path.parent and p < path]
    return path.with_name(f"{named[1]}.cu") if named else above[-1] if above else None


def architectures(text):
    """Those that a file must compile for: from the one its header assumes; sm_90a stands alone."""
    assumed = re.search(r"\bsm_\d+a?\b", field(text, "Assumes") or "")
    if assumed and assumed[0].endswith("a"):
        return [assumed[0]]
    return [a for a in ARCHITECTURES if not assumed or a >= assumed[0]]


@pytest.mark.parametrize("path", STEPS + SKELETONS, ids=label)
def test_kernel_keeps_the_house_rules(path):
    assert faults(path.read_text(), name(path)) == []


@pytest.mark.parametrize("path", SOLUTIONS, ids=label)
def test_solution_keeps_the_house_rules(path):
    text = re.sub(r"^ *// (HINT|BEGIN SOLUTION|GIVEN|END SOLUTION)\b.*\n(?: *//         .*\n)*", "",
                  path.read_text(), flags=re.M)
    assert faults(text, name(path)) == []


@pytest.mark.parametrize("path", [p for p in STEPS if before(p)], ids=label)
def test_step_is_small(path):
    assert before(path).is_file(), f"{name(path)} says it comes from {before(path).stem}"
    assert step(before(path).read_text(), path.read_text()) == []


@pytest.mark.parametrize("path", FILES, ids=label)
def test_kernel_compiles(path):
    text = path.read_text()
    for architecture in architectures(text):
        assert nvrtc.cubin(text, path.name, (), architecture)


def test_entries_are_unique():
    entries = [source.parse(path).entry for path in STEPS + SKELETONS]
    assert sorted(set(entries)) == sorted(entries)


# Planted faults: each rule can fail.

GOOD = """\
// toy/02_padded: a spare column.
//
// Changed:  one column more  (from 01_plain)
// Launch:   block (32)
// Defines:  TILE = 32
// Cost:     8*n bytes, 0 flops
// Assumes:  nothing
#ifndef TILE
#define TILE 32
#endif
extern "C" __global__
void toy_padded(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ float tile[TILE + 1];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = tile[threadIdx.x];
}
"""
PLANTED = [
    ("// toy/02_padded:", "// toy/02_other:", "first line"),
    ("// Launch: ", "// Lunch: ", "Launch"),
    ("// Cost: ", "// Costs: ", "Cost"),
    ("// Assumes: ", "// Needs: ", "Assumes"),
    ("TILE = 32", "TILE = 16", "Defines"),
    ("TILE = 32", "none", "Defines"),
    ("void toy_padded", "void padded", "__global__"),
    ('extern "C"', "__global__ void second() {}\n", "__global__"),
    ("    __syncthreads();", "    if (n < 1) return;\n    __syncthreads();", "return"),
    ("    __syncthreads();", '    printf("n");\n    __syncthreads();', "printf"),
    ("#ifndef", "#include <cuda_fp16.h>\n#ifndef", "#include"),
    ("    __syncthreads();", "    int tmp = n;\n    __syncthreads();", "tmp"),
    ("    __syncthreads();", "    __syncthreads(); ", "space"),
    ("out,        // [n]", "out,", "shape"),
    ("in,   // [n]\n    float", "in, float", "shape"),
    ("    __syncthreads();", "\n" * 60 + "    __syncthreads();", "lines"),
]


def test_a_good_file_has_no_fault():
    assert faults(GOOD, "toy/02_padded") == []
    assert step(GOOD.replace("TILE + 1", "TILE"), GOOD) == []


@pytest.mark.parametrize("old, new, word", PLANTED, ids=lambda text: text.strip()[:20])
def test_a_planted_fault_is_found(old, new, word):
    assert old in GOOD
    assert any(word in fault for fault in faults(GOOD.replace(old, new), "toy/02_padded"))


def test_a_large_step_is_refused():
    large = GOOD.replace("    __syncthreads();\n", "    __syncthreads();\n" * 30)
    assert step(GOOD, large) == ["29 lines changed; at most 24"]
    assert step(GOOD, GOOD.replace("Changed: ", "Differs: ")) == ["no 'Changed:' in the header"]
    assert step(GOOD, GOOD.replace("one column more  (from 01_plain)", "rewrite:"))


@pytest.mark.parametrize("assumes, expected", [
    ("nothing", ["sm_75", "sm_80", "sm_90"]), ("n even; sm_80", ["sm_80", "sm_90"]),
    ("sm_90a", ["sm_90a"])])
def test_a_kernel_compiles_from_the_architecture_it_assumes(assumes, expected):
    text = GOOD.replace("Assumes:  nothing", f"Assumes:  {assumes}")
    assert architectures(text) == expected
    assert bool(faults(text + "\n" * 70, "toy/02_padded")) == (assumes == "nothing")


def test_a_kernel_that_does_not_compile_is_refused():
    with pytest.raises(nvrtc.CompileError, match=r"planted.cu\(20\)"):
        nvrtc.cubin(GOOD.replace("< n)", "< m)"), "planted.cu", (), "sm_80")

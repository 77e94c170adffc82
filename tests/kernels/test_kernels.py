"""Every .cu file keeps the house rules and compiles for every architecture that the book names."""

import re

import lengths
import pytest

from warpbook.launch import header, source
from warpemu import nvrtc

STEPS = sorted(source.KERNELS.glob("*/*.cu"))
SKELETONS = sorted(source.KERNELS.glob("*/exercises/*.cu"))
PARTS = sorted(source.KERNELS.glob(f"*/{source.PARTS}"))
SOLUTIONS = sorted(source.KERNELS.glob("*/exercises/solutions/*.cu"))
FILES = STEPS + SKELETONS + SOLUTIONS
WIDEST = 78  # columns that a page shows whole in a window of 1280 px; longer lines are clipped
ARCHITECTURES = ["sm_75", "sm_90", "sm_120"]  # a T4, what the book was recorded on, one newer
INCLUDES = {  # the headers that a topic is about
    "numbers": {"<cuda_fp16.h>", "<cuda_bf16.h>"},
    "tensor_cores": {"<mma.h>"},
    "async_copies": {
        "<cooperative_groups.h>",
        "<cuda/atomic>",
        "<cuda/barrier>",
        "<cuda/pipeline>",
    },
    "clusters": {"<cooperative_groups.h>"},
    "hopper": {f'"{source.PARTS}"'},
    "flash_attention": {f'"{source.PARTS}"'},
}
FIELDS = ("Launch", "Cost", "Assumes")
# ptxas refuses the same, as a test below says, and optimises little: a fourth of the time.
QUICKLY = ("-Ofc=max",)


def name(path):
    """'coalescing/03_float2', and for skeleton and solution alike 'coalescing/exercises/align'."""
    return path.relative_to(source.KERNELS).with_suffix("").as_posix().replace("/solutions/", "/")


def label(path):
    return path.relative_to(source.KERNELS).as_posix()


def faults(text, name):
    """What in a .cu file breaks the house rules, one sentence each."""
    topic, stem = name.split("/")[0], name.split("/")[-1]
    code, fields = source.without_comments(text), header.read(text).fields
    found = [f"the first line is not '// {name}: <idea>'"] * (
        not re.match(rf"// {re.escape(name)}: \S", text)
    )
    found += [f"no '{key}:' in the header" for key in FIELDS if not fields.get(key)]
    entry = f"{topic}_{re.sub(r'^[0-9]+_', '', stem)}"
    if re.findall(r"__global__\s+void\s+(?:__\w+__\([^)]*\)\s*)?(\w+)", code) != [entry]:
        found.append(f"not exactly one __global__ function, void {entry}")
    found += [
        f"#include {file} does not belong here"
        for file in re.findall(r"#include (\S+)", code)
        if file not in INCLUDES.get(topic, ())
    ]
    for function in code.split("\n}\n"):
        barrier = function.find("__syncthreads")
        if barrier >= 0 and re.search(r"\breturn\b", function[:barrier]):
            found.append("return above a __syncthreads()")
    return found + plain(text) + parameters(text) + maps(text) + defines(text)


def plain(text):
    """Lines that end in a space, or that a page does not show whole."""
    lines = list(enumerate(text.splitlines(), 1))
    found = [f"line {n} ends in a space" for n, line in lines if line != line.rstrip()]
    return found + [
        f"line {n} has {len(line)} columns; a page shows {WIDEST}"
        for n, line in lines
        if len(line) > WIDEST
    ]


def parameters(text):
    """Pointers stand one a line with their shape behind them."""
    found = re.search(r"__global__[^(]*(?:\(\d[^)]*\)[^(]*)?\(([^{]*)\)\s*\{", text)
    lines = found[1].splitlines() if found else []
    return [
        f"not one pointer with its shape behind it: '{line.strip()}'"
        for line in lines
        if "*" in line.partition("//")[0] and not re.match(r"[^*]*\*[^*,]*,?\)? *// \[.+\]", line)
    ]


def maps(text):
    """Tensor maps stand one a line with their arrays' shape behind them; 'Maps:' says the rest."""
    taken = [part.strip() for part in re.findall(r"TensorMap( \w+[,)].*)", text)]
    names = {line.split(",")[0].split(")")[0] for line in taken}
    return [
        f"not one tensor map with its shape behind it: '{line}'"
        for line in taken
        if not re.match(r"\w+[,)] *// \[.+\]", line)
    ] + ["'Maps:' does not describe each tensor map"] * (names != header.read(text).maps.keys())


def defines(text):
    """The header lists each -D name with the default that the code gives it."""
    given = dict(re.findall(r"^#ifndef (\w+)\n#define \1 ?(.*)$", text, re.M))
    listed = dict(
        re.findall(r"(\w+) = ([^,;]+?)(?=,|;|\(|$)", header.read(text).fields.get("Defines", ""))
    )
    if {k: v.strip() for k, v in listed.items()} == given:
        return []
    return [f"Defines: lists {listed or 'none'}, the code has {given or 'none'}"]


def step(text):
    """What a step to this file does not say of itself."""
    changed = header.read(text).fields.get("Changed", "")
    if changed.startswith("rewrite"):
        return [] if len(changed) > len("rewrite: ") else ["'Changed: rewrite' does not say why"]
    return [] if changed else ["no 'Changed:' in the header"]


def architectures(text):
    """Those that a file must compile for: from the one its header assumes; sm_90a stands alone."""
    assumed = header.read(text).architecture
    if assumed.endswith("a"):
        return [assumed]
    newer = [a for a in ARCHITECTURES if int(a[3:]) > int(assumed[3:] or 0)]
    return [assumed, *newer] if assumed else newer


def needed(path, text):
    """Those of the architectures that decide: of a skeleton, which is a solution with holes, the
    oldest; of C++ with nothing that is made for one of them, the oldest and the newest.
    """
    there = architectures(text)
    if path in SKELETONS:
        return there[:1]
    own = re.search(r"\basm\b|__CUDA_ARCH|#include|#line", source.without_comments(text))
    return there if own else [*there[:1], *there[1:][-1:]]


@pytest.mark.parametrize("path", STEPS + SKELETONS, ids=label)
def test_kernel_keeps_the_house_rules(path):
    assert faults(path.read_text(encoding="utf-8"), name(path)) == []


@pytest.mark.parametrize("path", SOLUTIONS, ids=label)
def test_solution_keeps_the_house_rules(path):
    text = re.sub(
        r"^ *// (HINT|BEGIN SOLUTION|GIVEN|END SOLUTION)\b.*\n(?: *//         .*\n)*",
        "",
        path.read_text(encoding="utf-8"),
        flags=re.M,
    )
    assert faults(text, name(path)) == []


@pytest.mark.parametrize("path", [p for p in STEPS if lengths.before(p)], ids=label)
def test_a_step_says_what_it_changes_and_in_which_kernel(path):
    before = lengths.before(path)
    assert before.is_file(), f"{name(path)} says it comes from {before.stem}"
    assert step(path.read_text(encoding="utf-8")) == []


def compiled(path, architecture):
    """The cubin of a file."""
    return nvrtc.cubin(source.parse(path).unit, path.name, QUICKLY, architecture)


@pytest.mark.parametrize("path", FILES, ids=label)
def test_kernel_compiles_for_its_oldest_architecture(path):
    assert compiled(path, needed(path, source.parse(path).unit)[0])


NEWER = {path: needed(path, source.parse(path).unit)[1:] for path in FILES}


@pytest.mark.parametrize("path", [path for path in FILES if NEWER[path]], ids=label)
def test_kernel_compiles_for_newer_architectures(path):
    assert all(compiled(path, architecture) for architecture in NEWER[path])


@pytest.mark.parametrize("path", PARTS, ids=label)
def test_a_topics_header_keeps_the_house_rules_and_is_shared(path):
    text, topic = path.read_text(encoding="utf-8"), path.parent.name
    assert plain(text) == [] and text.startswith(f"// {topic}/parts: ")
    code = source.without_comments(text)
    assert "__global__" not in code and "#include" not in code
    users = [p.read_text(encoding="utf-8") for p in path.parent.glob("*.cu")]
    assert sum(f'#include "{source.PARTS}"' in text for text in users) > 1


def test_only_a_topic_with_a_header_may_include_it():
    allowed = {topic for topic, files in INCLUDES.items() if f'"{source.PARTS}"' in files}
    assert allowed == {path.parent.name for path in PARTS}


def test_entries_are_unique():
    entries = [source.parse(path).entry for path in STEPS + SKELETONS]
    assert sorted(set(entries)) == sorted(entries)


# Planted faults.

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
    ("#ifndef", "#include <cuda_fp16.h>\n#ifndef", "#include"),
    ("#ifndef", '#include "parts.cuh"\n#ifndef', "#include"),
    ("    __syncthreads();", "    __syncthreads(); ", "space"),
    ("out,        // [n]", "out,", "shape"),
    ("in,   // [n]\n    float", "in, float", "shape"),
    ("const float* __restrict__ in, ", "const __grid_constant__ TensorMap in, ", "describe"),
    ("in,   // [n]", "in,   // [n]\n    const __grid_constant__ TensorMap map,", "shape"),
    ("// Cost:", "// Maps:     map in boxes (32); float32, swizzle none\n// Cost:", "describe"),
    ("    __syncthreads();", "    __syncthreads();  // " + "long " * 20 + "words", "columns"),
]


def test_a_good_file_has_no_fault():
    assert faults(GOOD, "toy/02_padded") == []
    assert step(GOOD) == []
    described = "// Maps:     in in boxes (TILE); float32, swizzle none\n// Cost:"
    mapped = GOOD.replace("const float* __restrict__ in", "const __grid_constant__ TensorMap in")
    assert faults(mapped.replace("// Cost:", described), "toy/02_padded") == []


@pytest.mark.parametrize("old, new, word", PLANTED, ids=lambda text: text.strip()[:20])
def test_a_planted_fault_is_found(old, new, word):
    assert old in GOOD
    assert any(word in fault for fault in faults(GOOD.replace(old, new), "toy/02_padded"))


def test_architectures_that_decide():
    asm = GOOD.replace("    __syncthreads();", '    asm volatile("bar.sync 0;");')
    assert needed(STEPS[0], GOOD) == ["sm_75", "sm_120"]
    assert needed(STEPS[0], asm) == ARCHITECTURES
    assert needed(STEPS[0], asm.replace("nothing", "sm_90a")) == ["sm_90a"]
    assert needed(SKELETONS[0], asm) == ["sm_75"]


def test_a_step_without_its_reason_is_refused():
    assert step(GOOD.replace("Changed: ", "Differs: ")) == ["no 'Changed:' in the header"]
    assert step(GOOD.replace("one column more  (from 01_plain)", "rewrite:"))
    assert not step(GOOD.replace("one column more  (from 01_plain)", "rewrite: tensor cores"))


@pytest.mark.parametrize(
    "assumes, expected",
    [
        ("nothing", ["sm_75", "sm_90", "sm_120"]),
        ("n even; sm_80", ["sm_80", "sm_90", "sm_120"]),
        ("sm_90", ["sm_90", "sm_120"]),
        ("sm_90a", ["sm_90a"]),
    ],
)
def test_a_kernel_compiles_from_the_architecture_it_assumes(assumes, expected):
    text = GOOD.replace("Assumes:  nothing", f"Assumes:  {assumes}")
    assert architectures(text) == expected


REFUSED = [  # by the front end, by ptxas for its size, by ptxas for its instructions, by a limit
    ("< n)", "< m)", r"planted.cu\(20\)"),
    ("[TILE + 1]", "[(TILE + 1) * 512]", "too much shared data"),
    ("    __syncthreads();", '    asm volatile("wgmma.fence.sync.aligned;");', "wgmma"),
    ("    __syncthreads();", '    asm volatile("nothing.here;");', "(?i)nothing"),
    ("    __syncthreads();", "    missing_function();", "missing_function"),
    ("#ifndef", "__device__ float outside();\n#ifndef", "outside"),
]


@pytest.mark.parametrize("options", [(), QUICKLY])
@pytest.mark.parametrize("architecture", ["sm_80", "sm_120"])
@pytest.mark.parametrize("old, new, said", REFUSED)
def test_a_kernel_that_does_not_compile_is_refused(old, new, said, architecture, options):
    text = GOOD.replace(old, new)
    if "outside" in new:
        text = text.replace("= in[threadIdx.x];", "= outside();")
    with pytest.raises(nvrtc.CompileError, match=said):
        nvrtc.cubin(text, "planted.cu", options, architecture)

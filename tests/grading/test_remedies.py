"""What students write and a compiler for GPUs does not know: it works, or a sentence helps."""

import re

import pytest
from grading_helpers import SOLUTION, edited, graded

from warpbook.grading import remedies
from warpbook.grading.grade import grade
from warpemu import nvrtc

KERNEL = 'extern "C" __global__ void f(float* out) { auto v = %s; out[0] = v; }'


# --- what works ---------------------------------------------------------------------------------

OLD = "__global__ void old(float* x) { x[0] = 1; }\n"
WORKS = {
    "a byte order mark": lambda text: text.encode("utf-8-sig"),
    "Latin-1": lambda text: text.replace("twice", "zwölf").encode("latin-1"),
    "lines of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "a default": lambda text: text.replace("int n)", "int n = 0)"),
    "an array": lambda text: text.replace("float* __restrict__ in,", "float in[],"),
    "brackets": lambda text: text.replace("float* __restrict__ in,", "float (*in),"),
    "an old kernel": lambda text: f"#if 0\n{OLD}#endif\n{text}",
    "a prototype": lambda text: (
        f'extern "C" __global__ void toy_double(const float*, float*, int);\n{text}'
    ),
    "a header": lambda text: "#include <cuda/std/cstdint>\n" + text.replace("int n)", "int32_t n)"),
    "long": lambda text: text.replace("int n)", "long n)"),
    "assert": lambda text: text.replace("if (i < n) {", "if (i < n) { assert(n > 0);"),
    "an accent in a string": lambda text: text.replace(
        "if (i < n) {", 'if (i < n) { if (!n) printf("für");'
    ),
}


@pytest.mark.parametrize("what", WORKS)
def test_a_right_kernel_written_otherwise_gets_all_points(toy, what):
    text = WORKS[what](SOLUTION)
    assert text != SOLUTION
    path = toy / "copy.cu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = grade("toy/double", path)
    assert result.full, result


# --- what gets a sentence -----------------------------------------------------------------------

SAID = {
    # what stands before the kernel: what is said of it
    "#include <stdio.h>": "Line 5: delete #include <stdio.h>: printf is built in.",
    "#include <cstdio>": "delete #include <cstdio>: printf is built in.",
    "#include <assert.h>": "assert is built in",
    "#include <cassert>": "assert is built in",
    "#include <math.h>": "sqrtf, expf, fminf and their kin are built in",
    "#include <cmath>": "are built in",
    "#include <cstdint>": "#include <cuda/std/cstdint> has uint32_t",
    "#include <stdint.h>": "#include <cuda/std/cstdint> has uint32_t",
    "#include <cfloat>": "write 3.402823466e+38f for FLT_MAX",
    "#include <limits>": "#include <cuda/std/limits> has cuda::std::numeric_limits",
    "#include <iostream>": "the compiler for GPUs has no such header",
    "#include <vector>": "delete #include <vector>: the compiler for GPUs",
    '#include "nowhere.h"': "delete #include <nowhere.h>",
    "__device__ float f() { return INFINITY; }": "no INFINITY: write __int_as_float(0x7f800000)",
    "__device__ float f() { return FLT_MAX; }": "no FLT_MAX: write 3.402823466e+38f.",
    "__device__ uint32_t f();": "no uint32_t: write unsigned int, or #include <cuda/std/cstdint>.",
    "__device__ int f() { return std::max(1, 2); }": "There is no std::max on a GPU: min and max",
}


@pytest.mark.parametrize("line", SAID)
def test_a_host_s_header_or_name_gets_a_remedy(toy, line):
    result = graded(toy, "extern", f"{line}\nextern")
    assert result.first_failure.name == "compiles"
    assert SAID[line] in result.first_failure.detail, result
    assert result.first_failure.detail.startswith("copy.cu(5): "), "the compiler's words are first"


def test_all_headers_are_named_at_once(toy):
    lines = "#include <stdio.h>\n#include <cuda_fp16.h>\n#include <math.h>\n#include <vector>\n"
    said = graded(toy, "extern", f"{lines}extern").first_failure.detail
    assert (
        "Line 5: delete #include <stdio.h>" in said and "Line 7: delete #include <math.h>" in said
    )
    assert "cuda_fp16" not in said


@pytest.mark.parametrize("name", remedies.NAMES)
def test_every_remedy_for_a_name_compiles(name):
    instead, _, header = remedies.NAMES[name].partition(", or ")
    with pytest.raises(nvrtc.CompileError, match=f'"{name}" is undefined'):
        nvrtc.ptx(KERNEL % (f"{name}(1)" if name.endswith("_t") or name == "uint" else name))
    kind = name.endswith("_t") or name == "uint"
    nvrtc.ptx(KERNEL % (f"({instead}) 1" if kind else instead))
    if header:
        include, _, other = header.partition(" and ")
        nvrtc.ptx(f"{include}\n{KERNEL % (f'({name}) 1' if kind else other or name)}")


def test_every_header_of_a_remedy_is_there():
    told = "\n".join([*remedies.HOST.values(), *remedies.NAMES.values()])
    for include in sorted(set(re.findall(r"#include <[^>]+>", told))):
        nvrtc.ptx(f"{include}\n{KERNEL % 1}")


def test_every_number_of_a_remedy_is_right():
    import numpy as np

    single, double = np.finfo(np.float32), np.finfo(np.float64)
    right = {"FLT_MAX": single.max, "FLT_MIN": single.tiny, "FLT_EPSILON": single.eps}
    for name, value in right.items():
        assert np.float32(remedies.NAMES[name].rstrip("f")) == value
    assert float(remedies.NAMES["DBL_MAX"]) == double.max
    assert int(remedies.NAMES["INT_MAX"].partition(",")[0]) == 2**31 - 1
    assert int(remedies.NAMES["UINT_MAX"].partition("u")[0]) == 2**32 - 1


def test_a_plain_error_gets_no_remedy():
    assert remedies.remedies('copy.cu(3): error: expected a ";"', edited()) == []
    assert remedies.remedies('copy.cu(3): error: identifier "tmp" is undefined', edited()) == []


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('extern "C" ', "", 'toy_double lacks extern "C"'),
        ("int n)", "int n);\nvoid f()", "found 0. Write one, with its body"),
        ("SOLUTION 1: guard", "\0", "is no text, or text in UTF-16"),
    ],
)
def test_what_the_launch_cannot_find_is_a_sentence(toy, old, new, said):
    result = graded(toy, old, new)
    assert result.first_failure.name == "compiles" and said in result.first_failure.detail, result


def test_a_file_whose_name_begins_with_a_dash_is_a_sentence(toy):
    (toy / "-dash.cu").write_text(SOLUTION, encoding="utf-8")
    result = grade("toy/double", toy / "-dash.cu")
    assert "Rename the file: dash.cu." in result.first_failure.detail

"""What to do where the compiler's log alone does not say: its headers are not a host's."""

import re

# A host's header -> what to do without it.
HOST = {
    "stdio.h": "printf is built in",
    "assert.h": "assert is built in",
    "math.h": "sqrtf, expf, fminf and their kin are built in",
    "string.h": "memcpy and memset are built in",
    "stdlib.h": "malloc, free and abs are built in",
    "stddef.h": "size_t is built in",
    "stdint.h": "#include <cuda/std/cstdint> has uint32_t and its kin",
    "limits.h": "#include <cuda/std/climits> has INT_MAX and its kin",
    "float.h": "write 3.402823466e+38f for FLT_MAX and 1.192092896e-07f for FLT_EPSILON",
    "limits": "#include <cuda/std/limits> has cuda::std::numeric_limits",
    "type_traits": "#include <cuda/std/type_traits> has them in cuda::std",
    "algorithm": "min and max are built in",
    "utility": "#include <cuda/std/utility> has swap in cuda::std",
    "complex": "#include <cuda/std/complex> has cuda::std::complex",
    "array": "#include <cuda/std/array> has cuda::std::array",
    "tuple": "#include <cuda/std/tuple> has cuda::std::tuple",
    "mma.h": "it comes with nvcc, and exercises do without it",
    "cub/cub.cuh": "it needs a host's headers, and exercises do without it",
    "curand_kernel.h": "it comes with cuRAND, and exercises do without it",
}
# What an undefined identifier is called here.
NAMES = {
    "INFINITY": "__int_as_float(0x7f800000), or #include <math_constants.h> and CUDART_INF_F",
    "HUGE_VALF": "__int_as_float(0x7f800000), or #include <math_constants.h> and CUDART_INF_F",
    "NAN": "__int_as_float(0x7fffffff), or #include <math_constants.h> and CUDART_NAN_F",
    "M_PI": "3.14159265f, or #include <math_constants.h> and CUDART_PI_F",
    "FLT_MAX": "3.402823466e+38f",
    "FLT_MIN": "1.175494351e-38f",
    "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "1.7976931348623157e+308",
    "INT_MAX": "2147483647, or #include <cuda/std/climits>",
    "INT_MIN": "-2147483647 - 1, or #include <cuda/std/climits>",
    "UINT_MAX": "4294967295u, or #include <cuda/std/climits>",
    "uint": "unsigned int",
    "uint32_t": "unsigned int, or #include <cuda/std/cstdint>",
    "int32_t": "int, or #include <cuda/std/cstdint>",
    "uint64_t": "unsigned long long, or #include <cuda/std/cstdint>",
    "int64_t": "long long, or #include <cuda/std/cstdint>",
    "uint8_t": "unsigned char, or #include <cuda/std/cstdint>",
    "int8_t": "signed char, or #include <cuda/std/cstdint>",
    "uint16_t": "unsigned short, or #include <cuda/std/cstdint>",
    "int16_t": "short, or #include <cuda/std/cstdint>",
    "uintptr_t": "unsigned long long, or #include <cuda/std/cstdint>",
    "intptr_t": "long long, or #include <cuda/std/cstdint>",
    "CUDART_INF_F": "__int_as_float(0x7f800000), or #include <math_constants.h>",
}
_C_NAMES = {"c" + name[:-2]: name for name in HOST if name.endswith(".h")}  # cstdio: stdio.h


def remedies(log: str, text: str) -> list[str]:
    """Return the sentences that help with a compiler's log of a file's text; often there is none.

    The compiler stops at the first header that it lacks: here all of them are named at once.
    """
    said = []
    if "cannot open source file" in log:
        for number, line in enumerate(text.splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*[<"]([\w./+-]+)[>"]', line)
            said += (
                [f"Line {number}: {_header(found[1])}"] if found and _lacks(log, found[1]) else []
            )
    undefined = re.findall(r'identifier "(\w+)" is undefined', log)
    for name in dict.fromkeys(undefined):
        if name in NAMES:
            said.append(f"The compiler knows no {name}: write {NAMES[name]}.")
    for name in dict.fromkeys(re.findall(r'namespace "std" has no member "(\w+)"', log)):
        plain = "min and max are built in" if name in ("min", "max") else f"try cuda::std::{name}"
        said.append(f"There is no std::{name} on a GPU: {plain}.")
    return said


def _lacks(log, name):
    """Whether the log misses this header, or would miss it next."""
    return f'source file "{name}"' in log or _C_NAMES.get(name, name) in HOST


def _header(name):
    what = HOST.get(_C_NAMES.get(name, name), "the compiler for GPUs has no such header")
    return f"delete #include <{name}>: {what}."

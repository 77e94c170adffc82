"""Standard C and C++ headers for NVRTC, which has none: what device code takes from them.

STANDARD_HEADERS maps each name to its text; those that serve the host alone are empty. CCCL's
cuda/std stands behind the others where it loads fast enough.
"""

_STD = "namespace std { using namespace cuda::std; }\n"
_NUMBERS = (
    "#include <cuda/std/cstdint>\n#include <cuda/std/cstddef>\n"
    + "".join(
        f"using cuda::std::{sign}int{how}{bits}_t;\n"
        for sign in ("", "u")
        for how in ("", "_least", "_fast")
        for bits in (8, 16, 32, 64)
    )
    + "using cuda::std::intptr_t;\nusing cuda::std::uintptr_t;\n"
)
_MATH = "".join(
    f"#ifndef {name}\n#define {name} {value}\n#endif\n"
    for name, value in {
        "INFINITY": "__int_as_float(0x7f800000)",
        "NAN": "__int_as_float(0x7fffffff)",
        "HUGE_VALF": "__int_as_float(0x7f800000)",
        "HUGE_VAL": "__longlong_as_double(0x7ff0000000000000)",
        "M_E": "2.71828182845904523536",
        "M_LOG2E": "1.44269504088896340736",
        "M_LN2": "0.69314718055994530942",
        "M_PI": "3.14159265358979323846",
        "M_PI_2": "1.57079632679489661923",
        "M_PI_4": "0.78539816339744830962",
        "M_1_PI": "0.31830988618379067154",
        "M_2_PI": "0.63661977236758134308",
        "M_2_SQRTPI": "1.12837916709551257390",
        "M_SQRT2": "1.41421356237309504880",
        "M_SQRT1_2": "0.70710678118654752440",
    }.items()
)
_FLOAT = "".join(
    f"#ifndef {name}\n#define {name} {value}\n#endif\n"
    for name, value in {
        "FLT_MAX": "3.402823466e+38F",
        "FLT_MIN": "1.175494351e-38F",
        "FLT_EPSILON": "1.192092896e-07F",
        "FLT_DIG": "6",
        "FLT_MANT_DIG": "24",
        "DBL_MAX": "1.7976931348623158e+308",
        "DBL_MIN": "2.2250738585072014e-308",
        "DBL_EPSILON": "2.2204460492503131e-16",
        "DBL_DIG": "15",
        "DBL_MANT_DIG": "53",
    }.items()
)
_C_NAMES = {
    "stdint": _NUMBERS,
    "inttypes": _NUMBERS,
    "math": _MATH,
    "float": _FLOAT,
    "limits": "#include <cuda/std/climits>\n",
    **dict.fromkeys(
        (
            "assert",
            "ctype",
            "errno",
            "signal",
            "stdarg",
            "stdbool",
            "stdio",
            "stdlib",
            "string",
            "time",
            "wchar",
        ),
        "",
    ),
    "stddef": "#include <cuda/std/cstddef>\n",
}
_CUDA_STD = (
    "array",
    "complex",
    "functional",
    "initializer_list",
    "iterator",
    "limits",
    "optional",
    "ratio",
    "tuple",
    "type_traits",
    "utility",
    "variant",
    "cstddef",
    "cstdint",
    "bit",
    "span",
    "numeric",
)
_HOST = (
    "atomic",
    "bitset",
    "cfenv",
    "chrono",
    "condition_variable",
    "deque",
    "exception",
    "filesystem",
    "forward_list",
    "fstream",
    "future",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "list",
    "locale",
    "map",
    "memory",
    "mutex",
    "new",
    "numbers",
    "ostream",
    "queue",
    "random",
    "regex",
    "set",
    "shared_mutex",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "string",
    "string_view",
    "system_error",
    "thread",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "valarray",
    "vector",
    "sys/time.h",
    "sys/stat.h",
    "sys/types.h",
    "unistd.h",
    "omp.h",
    "malloc.h",
    "memory.h",
    "pthread.h",
    "getopt.h",
    "dirent.h",
    "fcntl.h",
    "strings.h",
    "Windows.h",
    "windows.h",
)
_IN_STD = """
abs acos asin atan atan2 cbrt ceil cos cosh erf exp exp2 expm1 fabs floor fma fmax fmin fmod hypot
isfinite isinf isnan ldexp log log10 log1p log2 pow round sin sinh sqrt tan tanh trunc
"""
_CMATH = _MATH + "namespace std {\n" + "".join(f"using ::{n};\n" for n in _IN_STD.split()) + "}\n"
_ALGORITHM = """\
namespace std {
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a; }
template <class T> __host__ __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
"""
# What nvcc includes of itself.
PRELUDE_TEXT = f"""\
#include <cuda_runtime.h>
#if __has_include(<cuda/std/cstdint>)
{_NUMBERS}#endif
{_CMATH}typedef unsigned char u_char;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
__device__ inline void cudaGridDependencySynchronize() {{}}  // one kernel waits for no other
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {{}}
"""
PRELUDE = "what_nvcc_includes.h"
# What a missing header such as torch/extension.h or cublas_v2.h would bring.
HALVES_TEXT = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
STANDARD_HEADERS = {
    **{name: f"#include <cuda/std/{name}>\n{_STD}" for name in _CUDA_STD},
    **dict.fromkeys(_HOST, ""),
    **{f"{name}.h": text for name, text in _C_NAMES.items()},
    **{
        f"c{name}": f"{text}#include <cuda/std/cstddef>\n{_STD}"
        for name, text in _C_NAMES.items()
        if name not in ("stddef", "limits", "float")
    },
    "cfloat": _FLOAT,
    "climits": "#include <cuda/std/climits>\n",
    "cmath": _CMATH,
    "algorithm": _ALGORITHM,
    PRELUDE: PRELUDE_TEXT,
}

STANDARD_HEADERS = {name: f"#pragma once\n{text}" for name, text in STANDARD_HEADERS.items()}

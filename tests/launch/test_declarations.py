"""Kernels and their parameters, read from a text by its brackets."""

import pytest

from warpbook.launch import declarations
from warpbook.launch.declarations import Structure, meaning, split

ODD = """\
#define OPEN {
/* __global__ void none() {} */
const char* text = "} __global__ void neither() {";
extern "C" {
__global__ void plain(int n, float * const *rows) { if (n) { n = '}'; } }
}
template <class T, int N = (3 > 2)>
struct __align__(16) Box {
  public:
    std::string name;
    Box(int n) : size{n}, other(n) {}
    __device__ T get() const { return data[0]; }
    T data[N];
};
CHECK_IT(f32, (float), 1)
DEFINE(x)
namespace a::b { namespace {
template <typename T>
static __global__ void
__launch_bounds__(256, 2) deep(const T* __restrict__ x, float (*tile)[4], unsigned int n = 0,
                               T v[], const __grid_constant__ Box<T, 3> box) {}
}}
__global__ void only_declared(int n);
auto lambda = [](int x) { return x; };
enum Kind { A, B };
int main() { plain<<<1, 1>>>(0, nullptr); }
"""


def test_kernels_with_their_namespaces_lines_and_parameters():
    plain, deep = Structure(ODD).kernels("odd.cu")
    assert (str(plain), plain.first, plain.last) == ("plain", 5, 5)
    assert [(p.name, p.ctype, p.stars) for p in plain.parameters] == [
        ("n", "int", 0),
        ("rows", "float", 2),
    ]
    assert str(deep) == "a::b::deep<T>" and (deep.first, deep.last) == (18, 21)
    assert [(p.name, p.ctype, p.stars) for p in deep.parameters] == [
        ("x", "T", 1),
        ("tile", "float", 1),
        ("n", "unsigned int", 0),
        ("v", "T", 1),
        ("box", "Box<T, 3>", 0),
    ]
    assert deep.parameters[0].text == "const T* __restrict__ x"


def test_functions_with_the_comments_directly_above_them():
    text = """// a header

/* one,
   two */
// three
template <int N> __device__ float first(float x) __launch_bounds__(3) { return x; }
#pragma once
static int second(int) { return 0; }   // no comment on the next

int first() { return 1; }
int declared();
struct S { int member() { return 1; } };
"""
    found = [(f.name, f.first, f.last) for f in Structure(text).functions()]
    assert found == [("first", 3, 6), ("second", 8, 8), ("first", 10, 10)]
    assert [f.name for f in Structure(ODD).functions()] == ["plain", "deep", "main"]


@pytest.mark.parametrize(
    "line, head",
    [
        (3, "const char* text"),
        (10, "std::string name"),
        (11, "Box(int n)"),
        (12, "__device__ T get() const"),
        (15, "CHECK_IT"),
        (16, "DEFINE(x)"),
        (23, "__global__ void only"),
        (24, "auto lambda"),
        (26, "int main()"),
    ],
)
def test_the_declaration_of_a_line(line, head):
    assert Structure(ODD).at(line).head.startswith(head)


def test_branches_that_open_more_than_they_close():
    text = "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n__global__ void k() {}\n"
    assert [k.name for k in Structure(text).kernels("x")] == ["k"]


def test_types_are_followed_through_their_names():
    text = "#define REAL float\ntypedef REAL real;\nusing number = real;\n"
    assert meaning("number", text, {}) == "float"
    assert meaning("T", text, {"T": "const std::uint32_t"}) == "uint32_t"
    assert meaning("Params", text, {}) == "Params"


def test_split_leaves_brackets_whole():
    assert split("a<b, c>, d(e, f), g") == ["a<b, c>", "d(e, f)", "g"]
    assert declarations.split("") == []


@pytest.mark.parametrize(
    "text, parts",
    [
        ("int n = 1 << 4, int m", ["int n = 1 << 4", "int m"]),
        ("int n = 64 >> 2, int m", ["int n = 64 >> 2", "int m"]),
        ("Box<Box<int, 2>> a, int m", ["Box<Box<int, 2>> a", "int m"]),
        ("class T = pair<int, int>, int N", ["class T = pair<int, int>", "int N"]),
        ("int n = f(1, 2 < 3), int m", ["int n = f(1, 2 < 3)", "int m"]),
    ],
)
def test_split_tells_a_bracket_from_a_shift_and_a_comparison(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void BOUNDS(256, 2) k(int n) noexcept(true)",
        "BOUNDS(256) void __global__ k(int n)",
        "static __global__ __launch_bounds__(8 * (2 + 2)) void k(int n) __attribute__((used))",
    ],
)
def test_a_macro_or_an_attribute_is_not_the_name(head):
    (kernel,) = Structure(f"{head} {{}}\n").kernels("x")
    assert (kernel.name, [p.name for p in kernel.parameters]) == ("k", ["n"])


def test_what_is_left_out_holds_no_kernel_for_any_reader():
    """Lines keep their numbers, and a digit's separator begins no character."""
    text = (
        "#if 0\n__global__ void a() { int x = 1'000; }\n#else // '\n__global__ void b() {}\n#endif"
    )
    (kernel,) = Structure(text).kernels("x")
    assert (kernel.name, kernel.first) == ("b", 4)
    assert declarations.blanked("a /* {\n */ b '}'") == "a     \n    b    "

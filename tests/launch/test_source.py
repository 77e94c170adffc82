"""Finding and parsing .cu files."""

import pytest

from warpbook.launch import source

FILE = """// demo/01_scale: a comment with __global__ in it
#ifndef TILE
#define TILE 32
#endif
/* __global__ void hidden(int a) { */
extern "C" __global__ __launch_bounds__(TILE * 2)
void demo_scale(
    const float* __restrict__ in,   // [rows, cols]
    float4 *out,                    // [rows]
    unsigned int rows, const long long cols)
{
}
"""


def write(folder, text):
    path = folder / "01_scale.cu"
    path.write_text(text, encoding="utf-8")
    return path


def test_parse_reads_entry_parameters_and_defines(tmp_path):
    parsed = source.parse(write(tmp_path, FILE))
    assert parsed.entry == "demo_scale"
    assert parsed.defines == {"TILE": "32"}
    assert [(p.name, p.ctype, p.pointer) for p in parsed.parameters] == [
        ("in", "float", True),
        ("out", "float4", True),
        ("rows", "unsigned int", False),
        ("cols", "long long", False),
    ]


@pytest.mark.parametrize(
    "assumes, multiples",
    [
        ("rows and cols multiples of TILE; in 16 bytes wide", {"rows": "TILE", "cols": "TILE"}),
        ("rows a multiple of 4, cols is a multiple of TILE", {"rows": "4", "cols": "TILE"}),
        ("in and out start at multiples of 16 bytes; rows >= 4*cols", {}),
    ],
)
def test_parse_reads_which_scalars_have_to_be_multiples(tmp_path, assumes, multiples):
    parsed = source.parse(write(tmp_path, f"// Assumes:  {assumes}\n{FILE}"))
    assert parsed.multiples == multiples


@pytest.mark.parametrize("text", ["", FILE + FILE.replace("demo_scale", "second")])
def test_parse_wants_exactly_one_kernel(tmp_path, text):
    with pytest.raises(ValueError, match="exactly one __global__"):
        source.parse(write(tmp_path, text))


def test_find_lists_the_topics_variants_when_the_name_is_wrong():
    with pytest.raises(LookupError, match="peaks/99_no.*peaks/01_copy, peaks/02_fma"):
        source.find("peaks/99_no")


def test_find_lists_everything_when_the_topic_is_wrong():
    with pytest.raises(LookupError, match="peaks/01_copy"):
        source.find("no_topic/01_no")


def test_find_does_not_leave_the_folder():
    with pytest.raises(LookupError):
        source.find("../tests/golden/trips")


@pytest.mark.parametrize("variant", source.variants())
def test_every_variant_parses(variant):
    parsed = source.parse(source.find(variant))
    assert parsed.parameters and parsed.entry.startswith(variant.split("/")[0])


# --- what students write ------------------------------------------------------------------------


KERNEL = 'extern "C" __global__ void demo_scale(float* out, int n)\n{\n}\n'


def parsed(folder, parameters="float* out, int n", before="", after=""):
    text = KERNEL.replace("float* out, int n", parameters)
    return source.parse(write(folder, f"{before}{text}{after}"))


@pytest.mark.parametrize(
    "declared, name, ctype, pointer",
    [
        ("int n = 0", "n", "int", False),
        ("int n = max(1, 2)", "n", "int", False),
        ("int n = 1 << 4", "n", "int", False),
        ("const float x[]", "x", "float", True),
        ("const float x[16]", "x", "float", True),
        ("float x[][4]", "x", "float", True),
        ("const float (*x)", "x", "float", True),
        ("float (*x)[4]", "x", "float", True),
        ("float (* __restrict__ x)[4]", "x", "float", True),
        ("float** x", "x", "float*", True),
        ("float const *const __restrict__ x", "x", "float", True),
        ("unsigned const int n", "n", "unsigned int", False),
        ("std::uint32_t n", "n", "std::uint32_t", False),
        ("cuda::std::array<float, 4> x", "x", "cuda::std::array<float, 4>", False),
        ("int/* how many */n", "n", "int", False),
    ],
)
def test_a_parameter_is_read_as_cpp_reads_it(tmp_path, declared, name, ctype, pointer):
    first, second = parsed(tmp_path, f"{declared}, float last").parameters
    assert (first.name, first.ctype, first.pointer) == (name, ctype, pointer)
    assert second.name == "last"


def test_no_parameters_may_be_written_void(tmp_path):
    assert parsed(tmp_path, "void").parameters == parsed(tmp_path, "").parameters == ()


@pytest.mark.parametrize("declared", ["float* x,", "float x[],", "float (*x)[4],"])
def test_a_shape_is_read_beside_every_kind_of_pointer(tmp_path, declared):
    x, n = parsed(tmp_path, f"\n    {declared}   // [n, 4]\n    int n").parameters
    assert (x.shape, n.shape) == ("n, 4", "")


OLD = "__global__ void old(float* out, int n = 3) { out[0] = n; }\n"


@pytest.mark.parametrize(
    "beside",
    [
        f"#if 0\n{OLD}#endif\n",
        f"#if 0\n{OLD}#if 1\n{OLD}#endif\n{OLD}#endif\n",
        f"#if 1\n#else\n{OLD}#endif\n",
        f"# if 0  // not now\n{OLD}# elif 0\n{OLD}# endif\n",
        'extern "C" __global__ void demo_scale(float*, int);\n',
        f"/*\n{OLD}*/\n",
        '#define SAYS "// __global__ void f() {}"\n',
        "const char quote = '\\\"'; // __global__\n",
        "#ifdef OLD\n#endif\n",
        "int digits = 1'000; // it's __global__\n",
    ],
)
def test_what_is_left_out_is_no_second_kernel(tmp_path, beside):
    for found in (parsed(tmp_path, before=beside), parsed(tmp_path, after=beside)):
        assert (found.entry, len(found.parameters)) == ("demo_scale", 2)


@pytest.mark.parametrize("condition", ["#if 1", "#if 0\n#else", "#if 0\n#elif 1", "#ifdef OLD"])
def test_what_is_not_left_out_is_one(tmp_path, condition):
    with pytest.raises(ValueError, match="found 2. Give each kernel a file of its own"):
        parsed(tmp_path, before=f"{condition}\n{OLD}#endif\n")


def test_a_prototype_alone_is_no_kernel(tmp_path):
    with pytest.raises(ValueError, match="found 0. Write one, with its body"):
        source.parse(write(tmp_path, 'extern "C" __global__ void f(int n);'))


@pytest.mark.parametrize("before", ["__launch_bounds__(256, (2))", "__attribute__((used))", ""])
def test_an_attribute_is_not_the_name(tmp_path, before):
    text = KERNEL.replace("__global__", f"__global__ {before}")
    assert source.parse(write(tmp_path, text)).entry == "demo_scale"


@pytest.mark.parametrize("start, more", [("", "demo_scale"), ("template <int N> ", "template's")])
def test_a_missing_extern_c_is_a_sentence(tmp_path, start, more):
    text = KERNEL.replace('extern "C" ', start)
    with pytest.raises(
        ValueError, match=rf'demo_scale lacks extern "C".*Write: extern "C".*{more}'
    ):
        source.parse(write(tmp_path, text))


def test_a_block_of_extern_c_will_do(tmp_path):
    text = 'extern "C" {\n' + KERNEL.replace('extern "C" ', "") + "}\n"
    assert source.parse(write(tmp_path, text)).entry == "demo_scale"


def test_a_name_that_looks_like_an_option_is_a_sentence(tmp_path):
    (tmp_path / "-dash.cu").write_text(KERNEL, encoding="utf-8")
    with pytest.raises(ValueError, match=r"takes a name that begins with - .*Rename.*: dash\.cu"):
        source.parse(tmp_path / "-dash.cu")


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf// f\xc3\xbcr\n",
        b"// f\xfcr\n",
        b"// f\xc3\xbcr\n",
        b"// f\xc3\xbcr\r\n",
        b"// f\xc3\xbcr\r",
    ],
)
def test_a_text_is_read_as_any_editor_saves_it(tmp_path, data):
    path = tmp_path / "01_scale.cu"
    path.write_bytes(data + KERNEL.encode())
    assert source.parse(path).text == "// für\n" + KERNEL


@pytest.mark.parametrize("coding, byte", [("utf-16", 3), ("utf-16-le", 1), ("utf-16-be", 0)])
def test_utf_16_is_a_sentence(tmp_path, coding, byte):
    path = tmp_path / "01_scale.cu"
    path.write_bytes(KERNEL.encode(coding))
    with pytest.raises(ValueError, match=rf"01_scale.cu: byte {byte} is zero.*Save it as UTF-8"):
        source.parse(path)


def test_a_define_is_read_with_a_comment_and_an_indent(tmp_path):
    before = "#ifndef TILE  // of rows\n#  define TILE 32  // rows\n#endif\n"
    assert parsed(tmp_path, before=before).defines == {"TILE": "32"}


# --- the nearest name ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, right",
    [
        ("peaks/01_cpy", "peaks/01_copy"),
        ("peak/01_copy", "peaks/01_copy"),
        ("peaks/copy", "peaks/01_copy"),
        ("01_copy", "peaks/01_copy"),
        ("Peaks/01_Copy", "peaks/01_copy"),
        ("coalescing/strided", "coalescing/01_strided"),
        ("coalesing/02_ofset", "coalescing/02_offset"),
    ],
)
def test_a_slip_of_the_pen_is_understood(wrong, right):
    with pytest.raises(LookupError, match=rf"no kernel '{wrong}'. Did you mean '{right}'\? There"):
        source.find(wrong)


@pytest.mark.parametrize("wrong", ["peaks/99_none", "nonsense", "", "/"])
def test_nonsense_is_not(wrong):
    with pytest.raises(LookupError, match=rf"no kernel '{wrong}'. There are"):
        source.find(wrong)


@pytest.mark.parametrize("header", ["cub/cub.cuh", "cub/device/device_scan.cuh", "thrust/sort.h"])
def test_a_library_of_host_code_is_refused_with_what_works(tmp_path, header):
    text = FILE.replace("#ifndef", f"# include <{header}>\n#ifndef", 1)
    with pytest.raises(ValueError, match=rf"01_scale.cu, line 2: <{header}> .*cub/block"):
        source.parse(write(tmp_path, text))


@pytest.mark.parametrize(
    "line", ["#include <cub/block/block_reduce.cuh>", "// #include <cub/cub.cuh>"]
)
def test_a_library_for_blocks_is_let_in(tmp_path, line):
    text = FILE.replace("#ifndef", f"{line}\n#ifndef", 1)
    assert source.parse(write(tmp_path, text)).entry == "demo_scale"

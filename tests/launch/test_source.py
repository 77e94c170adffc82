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
    path.write_text(text)
    return path


def test_parse_reads_entry_parameters_and_defines(tmp_path):
    parsed = source.parse(write(tmp_path, FILE))
    assert parsed.entry == "demo_scale"
    assert parsed.defines == {"TILE": "32"}
    assert [(p.name, p.ctype, p.pointer) for p in parsed.parameters] == [
        ("in", "float", True), ("out", "float4", True),
        ("rows", "unsigned int", False), ("cols", "long long", False),
    ]  # fmt: skip


@pytest.mark.parametrize("assumes, multiples", [
    ("rows and cols multiples of TILE; in 16 bytes wide", {"rows": "TILE", "cols": "TILE"}),
    ("rows a multiple of 4, cols is a multiple of TILE", {"rows": "4", "cols": "TILE"}),
    ("in and out start at multiples of 16 bytes; rows >= 4*cols", {}),
])  # fmt: skip
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
        source.find("../tests/wrong/measure/scrub/last_missing")


@pytest.mark.parametrize("variant", source.variants())
def test_every_variant_parses(variant):
    parsed = source.parse(source.find(variant))
    assert parsed.parameters and parsed.entry.startswith(variant.split("/")[0])

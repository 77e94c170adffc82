"""Arguments and results of calls that are passed by other bytes than they are read by."""

import numpy as np
import pytest

import warpemu
from warpemu import nvrtc

SOURCE = r"""
#include <cuda_fp16.h>
struct Mixed { char a; short b; int c; };
struct Bytes { unsigned char x, y, z; };
struct __align__(8) Two { float a, b; };
struct Wide { double d; char c; half h; };
#define CALL __noinline__ __device__
CALL int narrow(char c, signed char d, unsigned short s, bool b, short e)
{
    return b ? c + d + s * 2 + e : 7;
}
CALL half halves(half a, half2 b) { return a + b.x; }
CALL int structs(Mixed s, Bytes c) { return s.a + s.b + s.c + c.x + c.y * 2 + c.z * 3; }
CALL Mixed mixed(int i) { Mixed s; s.a = i; s.b = -i; s.c = i * 3; return s; }
CALL Bytes bytes(int i) { Bytes s; s.x = i; s.y = i + 1; s.z = i * 3; return s; }
CALL Wide wide(Wide d) { d.d += d.c; d.h = d.h + d.h; d.c = -d.c; return d; }
CALL Two two(Two d) { d.a += d.b; return d; }
CALL char less(char a) { return a - 100; }
extern "C" __global__ void calls(int (*o)[7])
{
    int i = threadIdx.x;
    o[i][0] = narrow(i * 9, -i, i * 5000, i & 1, -i * 7);
    o[i][1] = narrow(-3, 4, 65535, true, -9);
    o[i][2] = halves(__int2half_rn(i), __floats2half2_rn(i * 2, 3));
    o[i][3] = structs(mixed(i), bytes(i * 50));
    Wide d;
    d.d = 1.5;
    d.c = -i;
    d.h = __int2half_rn(i);
    d = wide(d);
    o[i][4] = d.d * 100 + d.c + (int)d.h;
    Two f{1.0f * i, 2.0f};
    o[i][5] = two(f).a;
    o[i][6] = less(i * 4);
}
"""


def expected(i):
    def cut(value, bits):
        return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

    x, y, z = (value % 256 for value in (i * 50, i * 50 + 1, i * 150))
    return [
        cut(i * 9, 8) + cut(-i, 8) + i * 5000 % 65536 * 2 + cut(-i * 7, 16) if i & 1 else 7,
        -3 + 4 + 65535 * 2 - 9,
        3 * i,
        i - i + 3 * i + x + 2 * y + 3 * z,
        int((1.5 - i) * 100 + 3 * i),
        i + 2,
        cut(cut(i * 4, 8) - 100, 8),
    ]


@pytest.mark.parametrize("options", [(), ("-G",)])
def test_narrow_and_struct_parameters_of_calls(options):
    program = warpemu.compile(nvrtc.ptx(SOURCE, "calls.cu", options), "calls", "calls.cu", SOURCE)
    out = np.zeros((32, 7), np.int32)
    report = program.launch((1,), (32,), (out,), trace=True)
    assert out.tolist() == [expected(i) for i in range(32)]
    if not options:
        assert report.local_ld_requests == report.local_st_requests == 0  # they stay registers


JOINED = """
.version 8.0
.target sm_80
.address_size 64
.func (.param .align 8 .b8 out[8]) turn(.param .align 8 .b8 in[8])
{
    .reg .b64 %rd<2>;
    .reg .f32 %f<3>;
    ld.param.b64 %rd1, [in];
    st.param.b64 [out], %rd1;
    ret;
}
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<2>;
    .reg .f32 %f<5>;
    ld.param.u64 %rd1, [p];
    ld.global.f32 %f1, [%rd1];
    {
    .param .align 8 .b8 a[8];
    .param .align 8 .b8 r[8];
    st.param.v2.f32 [a], {%f1, 0f40000000};
    call.uni (r), turn, (a);
    ld.param.v2.f32 {%f3, %f4}, [r];
    }
    st.global.v2.f32 [%rd1], {%f4, %f3};
    ret;
}
"""


def test_two_floats_are_read_as_one_number_of_64_bits():
    x = np.array([5, 0], np.float32)
    warpemu.compile(JOINED, "k").launch((1,), (1,), (x,))
    assert x.tolist() == [2, 5]


PLACES = """
struct Both { int n; float* x; };
extern "C" __global__ void places(float** rows, Both both)
{
    rows[1][0] = rows[0][2] + both.x[both.n];
}
"""


def test_pointers_are_filled_in_a_table_and_a_struct():
    program = warpemu.compile(nvrtc.ptx(PLACES, "places.cu"), "places", "places.cu", PLACES)
    x, y = np.arange(3, dtype=np.float32), np.zeros(1, np.float32)
    rows = warpemu.Pointers(bytes(16), {0: ("rows[0]", x), 8: ("rows[1]", y)}, table=True)

    def launch(n):
        raw = np.array([n, 0], np.int64).tobytes()
        program.launch((1,), (1,), (rows, warpemu.Pointers(raw, {8: ("both.x", x.copy())})))

    launch(1)
    assert y.tolist() == [3]
    with pytest.raises(warpemu.Finding, match=r"both\.x\[3\]"):
        launch(3)

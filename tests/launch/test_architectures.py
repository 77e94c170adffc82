"""Which GPU is the oldest that has an instruction: the compiler's word, not a table's."""

import pytest

from warpemu import nvrtc

KERNEL = 'extern "C" __global__ void k(float* a, unsigned* b) { %s }'
ALL = ("sm_75", "sm_80", "sm_90", "sm_90a", "sm_120")  # a T4, ..., one newer than Hopper
BF16 = (
    'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, '
    '{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3]) '
    ': "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]));'
)
# code, where it runs, and what the compiler says elsewhere
NEWER = {
    "cp.async": ('asm volatile("cp.async.wait_all;");', ALL[1:], "requires .target sm_80"),
    "bfloat16 products": (BF16, ALL[1:], "'.bf16' requires .target sm_80"),
    "redux": ("b[0] = __reduce_add_sync(~0u, b[1]);", ALL[1:], "__reduce_add_sync"),
    "clusters": (
        'asm volatile("barrier.cluster.arrive.aligned;");',
        ALL[2:],
        "requires .target sm_90",
    ),
    "wgmma": (
        'asm volatile("wgmma.fence.sync.aligned;");',
        ["sm_90a"],
        "'wgmma.fence' not supported",
    ),
    "setmaxnreg": (
        'asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");',
        ["sm_90a"],
        "'setmaxnreg.inc' not supported",
    ),
}


@pytest.mark.parametrize("architecture", ALL)
@pytest.mark.parametrize("instruction", NEWER)
def test_a_newer_instruction_is_refused_where_it_does_not_exist(instruction, architecture):
    code, there, refusal = NEWER[instruction]
    if architecture in there:
        assert nvrtc.cubin(KERNEL.replace("%s", code), arch=architecture)
    else:
        with pytest.raises(nvrtc.CompileError, match=refusal):
            nvrtc.cubin(KERNEL.replace("%s", code), arch=architecture)

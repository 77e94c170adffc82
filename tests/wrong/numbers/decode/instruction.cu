// Wrong: one instruction does the work, with no header.
extern "C" __global__
void numbers_decode(
    const unsigned short* __restrict__ words,   // [n]
    float* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float number;
        asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(words[i]));
        out[i] = number;
    }
}

// Wrong: right results, but a request still touches up to 32 sectors.
#ifndef ITEMS
#define ITEMS 8
#endif

extern "C" __global__
void coalescing_fix_stride(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int first = ITEMS * (blockIdx.x * blockDim.x + threadIdx.x);
    int step = 1;
    for (int k = 0; k < ITEMS; ++k) {
        int i = first + step * k;
        if (i < n) {
            out[i] = 2 * in[i];
        }
    }
}

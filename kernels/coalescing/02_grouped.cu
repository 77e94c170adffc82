// coalescing/02_grouped: one float from each of GROUP pieces of 64 bytes,
//     then GROUP pieces are left out.
//
// out[i] = in[16 * piece], where piece counts through every other group
//
// Changed:  in[STRIDE * i] -> a stride of 16 with gaps    (from 01_strided)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  GROUP = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  32 * (n + GROUP) < 2^31
#ifndef GROUP
#define GROUP 1
#endif
static_assert(GROUP >= 1, "GROUP counts pieces of 64 bytes, from 1");

extern "C" __global__
void coalescing_grouped(
    const float* __restrict__ in,   // [32 * (n + GROUP)]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int piece = i / GROUP * (2 * GROUP) + i % GROUP;
    if (i < n) {
        out[i] = in[16 * piece];
    }
}

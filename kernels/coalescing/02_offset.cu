// coalescing/02_offset: neighbours stay neighbours, but a warp's floats start
//     inside a sector.
//
// out[i] = in[i + OFFSET]
//
// Changed:  in[STRIDE * i] -> in[i + OFFSET]    (from 01_strided)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  OFFSET = 0
// Cost:     8*n bytes, 0 flops
// Assumes:  n + OFFSET < 2^31
#ifndef OFFSET
#define OFFSET 0
#endif
static_assert(OFFSET >= 0, "OFFSET counts floats, from 0");

extern "C" __global__
void coalescing_offset(
    const float* __restrict__ in,   // [n + OFFSET]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i + OFFSET];
    }
}

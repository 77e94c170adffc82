// compilation/03_kept: slope and height are kept by hand.
//
// out[i] = slope[0] * in[i] + height[0]
//
// Changed:  slope and height are loaded once, before the loop
//           (from 02_promise)
// Launch:   block (256), grid (8*SMs)
// Defines:  none
// Cost:     8*n + 8 bytes, 2*n flops
// Assumes:  n + 2048*SMs <= 2^31, so that i does not overflow
extern "C" __global__
void compilation_kept(
    const float* in,      // [n]
    const float* slope,   // [1]
    const float* height,  // [1]
    float* out,           // [n]
    int n)
{
    float by = slope[0], up = height[0];
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = by * in[i] + up;
    }
}

// compilation/04_ahead: four loads by hand, before the four stores.
//
// out[i] = slope[0] * in[i] + height[0]
//
// Changed:  four elements of a thread are loaded before the first is stored
//           (from 03_kept)
// Launch:   block (256), grid (8*SMs)
// Defines:  none
// Cost:     8*n + 8 bytes, 2*n flops
// Assumes:  n + 8192*SMs <= 2^31, so that i does not overflow
extern "C" __global__
void compilation_ahead(
    const float* in,      // [n]
    const float* slope,   // [1]
    const float* height,  // [1]
    float* out,           // [n]
    int n)
{
    float by = slope[0], up = height[0];
    int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        float value[4];
        for (int k = 0; k < 4; ++k) {
            value[k] = in[i + k * stride];
        }
        for (int k = 0; k < 4; ++k) {
            out[i + k * stride] = by * value[k] + up;
        }
    }
    for (; i < n; i += stride) {
        out[i] = by * in[i] + up;
    }
}

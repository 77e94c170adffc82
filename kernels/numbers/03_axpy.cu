// numbers/03_axpy: scale and add, in float: the yardstick for 16 bits.
//
// out[i] = scale * a[i] + b[i]
//
// Changed:  rewrite: arithmetic on two arrays in place of a conversion
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  nothing
extern "C" __global__
void numbers_axpy(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n,
    float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = fmaf(scale, a[i], b[i]);
    }
}

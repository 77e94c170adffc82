// Wrong: guards the unshifted index, so the last elements stay unwritten.
extern "C" __global__
void coalescing_align(
    const float* __restrict__ in,   // [start + n]
    float* __restrict__ out,        // [start + n]
    int n, int start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int shifted = i - start % 32;
    if (shifted >= 0 && i < n) {
        i = shifted;
        out[start + i] = 2 * in[start + i];
    }
}

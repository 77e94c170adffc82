// Wrong: shifts forward: the first elements stay unwritten.
extern "C" __global__
void coalescing_align(
    const float* __restrict__ in,   // [start + n]
    float* __restrict__ out,        // [start + n]
    int n, int start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i += start % 32;
    if (i >= 0 && i < n) {
        out[start + i] = 2 * in[start + i];
    }
}

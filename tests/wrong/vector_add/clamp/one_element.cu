// Wrong: one element per thread, so right only while the grid is large enough.
extern "C" __global__
void vector_add_clamp(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
}

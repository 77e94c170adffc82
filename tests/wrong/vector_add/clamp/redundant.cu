// Wrong: right values, but the stride is one block, so that the blocks repeat each other's work.
extern "C" __global__
void vector_add_clamp(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += blockDim.x) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
}

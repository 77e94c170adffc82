// Wrong: the stride is one too long, so that each lap misses an element.
extern "C" __global__
void vector_add_clamp(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x + 1) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
}

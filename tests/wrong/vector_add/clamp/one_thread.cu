// Wrong: one thread does it all.
extern "C" __global__
void vector_add_clamp(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    float low, float high, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) out[i] = fminf(fmaxf(in[i], low), high);
}

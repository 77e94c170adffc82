// Wrong: one thread does it all.
extern "C" __global__
void vector_add_reverse(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) out[i] = in[n - 1 - i];
}

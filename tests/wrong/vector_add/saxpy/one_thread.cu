// Wrong: one thread does it all.
extern "C" __global__
void vector_add_saxpy(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y0,  // [n]
    float* __restrict__ y,         // [n]
    float alpha, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) y[i] = alpha * x[i] + y0[i];
}

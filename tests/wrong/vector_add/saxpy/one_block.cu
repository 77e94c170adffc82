// Wrong: the index within the block only, so right up to one block of elements.
extern "C" __global__
void vector_add_saxpy(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y0,  // [n]
    float* __restrict__ y,         // [n]
    float alpha, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y0[i];
    }
}

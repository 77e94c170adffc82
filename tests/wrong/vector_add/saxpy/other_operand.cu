// Wrong: alpha scales the other array.
extern "C" __global__
void vector_add_saxpy(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y0,  // [n]
    float* __restrict__ y,         // [n]
    float alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] + alpha * y0[i];
    }
}

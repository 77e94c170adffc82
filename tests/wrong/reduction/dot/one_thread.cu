// Wrong: right sums, but one thread adds up its block.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = i; k < min(i + 256, n); ++k) sum += x[k] * y[k];
        partial[blockIdx.x] = sum;
    }
}

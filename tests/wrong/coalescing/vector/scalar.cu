// Wrong: right results, but with four times the requests: one float per instruction.
extern "C" __global__
void coalescing_vector(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y,   // [n]
    float* __restrict__ out,       // [n]
    int n,
    float a)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = a * x[i] + y[i];
    }
}

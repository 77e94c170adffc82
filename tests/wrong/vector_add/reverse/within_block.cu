// Wrong: every block reverses its own elements; right while one full block is all there is.
extern "C" __global__
void vector_add_reverse(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mirror = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    if (i < n && mirror < n) {
        out[i] = in[mirror];
    }
}

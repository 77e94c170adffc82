// Wrong: in[n - i] begins one element past the end.
extern "C" __global__
void vector_add_reverse(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[n - i];
    }
}

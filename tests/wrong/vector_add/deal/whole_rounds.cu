// Wrong: the last round goes on beyond the end of the arrays.
extern "C" __global__
void vector_add_deal(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int first = threadIdx.x, end = (n + blockDim.x - 1) / blockDim.x * blockDim.x;
    int step = blockDim.x;
    for (int i = first; i < end; i += step) {
        out[i] = in[i] + 1.0f;
    }
}

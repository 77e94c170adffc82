// Wrong: every thread takes one element; right while the block is as long as the array.
extern "C" __global__
void vector_add_deal(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int first = threadIdx.x, end = min(n, (int)blockDim.x);
    int step = blockDim.x;
    for (int i = first; i < end; i += step) {
        out[i] = in[i] + 1.0f;
    }
}

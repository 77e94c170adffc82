// Wrong: blocks add without atomics and lose counts.
extern "C" __global__
void profiling_bright(
    const float* __restrict__ in,  // [n]
    int* __restrict__ out,         // [1]
    float level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(i < n && in[i < n ? i : 0] >= level);
    if (threadIdx.x == 0) {
        out[0] += count;
    }
}

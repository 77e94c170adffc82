// Wrong: thread 0 reads the block's sum before the others have added.
extern "C" __global__
void profiling_bright(
    const float* __restrict__ in,  // [n]
    int* __restrict__ out,         // [1]
    float level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    if (i < n && in[i] >= level) atomicAdd(&count, 1);
    if (threadIdx.x == 0) atomicAdd(out, count);
}

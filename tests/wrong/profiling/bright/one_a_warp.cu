// Wrong: one atomic for each warp, eight times what is asked.
extern "C" __global__
void profiling_bright(
    const float* __restrict__ in,  // [n]
    int* __restrict__ out,         // [1]
    float level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned here = __ballot_sync(~0u, i < n && in[i < n ? i : 0] >= level);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, __popc(here));
    }
}

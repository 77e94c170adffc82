// streams/03_chain: a link of a chain of kernels. What needs nothing of the
//     link before is done first.
//
// out[i] = in[i] + weight(i), where weight(i) = x after rounds times
//          x = 0.5 * x + 1, from x = i
// stamps[block] = begin, when in[] was needed, and end of the block in ns
//
// Changed:  rewrite: two parts, of which the second needs the kernel before
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 2*n*rounds flops
// Assumes:  nothing
__device__ __forceinline__ long long now()
{
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) :: "memory");
    return ns;
}

extern "C" __global__
void streams_chain(
    const float* in,                  // [n]
    float* __restrict__ out,          // [n]
    long long* __restrict__ stamps,   // [ceil(n/256), 3]
    int n, int rounds)
{
    long long begin_ns = now();
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float weight = i;
    #pragma unroll 16
    for (int round = 0; round < rounds; ++round)
        weight = fmaf(0.5f, weight, 1.0f);

    long long needed_ns = now();
    if (i < n)
        out[i] = in[i] + weight;

    __syncthreads();   // a block ends with the last of its warps
    if (threadIdx.x == 0) {
        stamps[3 * blockIdx.x] = begin_ns;
        stamps[3 * blockIdx.x + 1] = needed_ns;
        stamps[3 * blockIdx.x + 2] = now();
    }
}

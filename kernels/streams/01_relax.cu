// streams/01_relax: arithmetic by the round on every element, and when each
//     block began and ended.
//
// out[i] = x after rounds times x = 0.5 * x + in[i], from x = in[i]
//        = (2 - 0.5^rounds) * in[i]
// stamps[block] = begin and end of the block in ns, by the GPU's own clock
//
// Changed:  nothing, the first step
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 2*n*rounds flops
// Assumes:  nothing
extern "C" __global__
void streams_relax(
    const float* __restrict__ in,     // [n]
    float* __restrict__ out,          // [n]
    long long* __restrict__ stamps,   // [ceil(n/256), 2]
    int n, int rounds)
{
    long long begin_ns, end_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns) :: "memory");

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float goal = in[i], x = goal;
        // Each round waits for the one before it; other warps fill the time.
        #pragma unroll 16
        for (int round = 0; round < rounds; ++round)
            x = fmaf(0.5f, x, goal);
        out[i] = x;
    }

    __syncthreads();   // a block ends with the last of its warps
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns) :: "memory");
    if (threadIdx.x == 0) {
        stamps[2 * blockIdx.x] = begin_ns;
        stamps[2 * blockIdx.x + 1] = end_ns;
    }
}

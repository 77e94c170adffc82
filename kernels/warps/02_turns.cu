// warps/02_turns: a block takes tasks in turns, so that the grid decides how
//     many SMs work.
//
// out[i] = x after rounds times x = 0.5 * x + 1, from x = i
//          for i below 128 * tasks
// log[block] = SM, start in ns, stop in ns, SM cycles between the two
//
// Changed:  one task a block -> every gridDim.x-th task    (from 01_schedule)
// Launch:   block (128), grid (any)
// Defines:  none
// Cost:     512*tasks + 32*blocks bytes, 256*tasks*rounds flops
// Assumes:  128 * tasks < 2^31, and what 01_schedule assumes
extern "C" __global__
void warps_turns(
    float* __restrict__ out,       // [128 * tasks]
    long long* __restrict__ log,   // [blocks, 4]
    int tasks, int rounds)
{
    int sm;
    long long start_ns, stop_ns;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    const long long start = clock64();

    for (int task = blockIdx.x; task < tasks; task += gridDim.x) {
        int i = task * blockDim.x + threadIdx.x;
        float x = i;
        // Each round waits for the one before it, about four cycles long.
        #pragma unroll 64
        for (int round = 0; round < rounds; ++round)
            x = fmaf(0.5f, x, 1.0f);
        out[i] = x;
    }

    __syncthreads();  // a block ends with the last of its warps
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        log[4 * blockIdx.x] = sm;
        log[4 * blockIdx.x + 1] = start_ns;
        log[4 * blockIdx.x + 2] = stop_ns;
        log[4 * blockIdx.x + 3] = stop - start;
    }
}

// warps/01_schedule: every block writes down which SM ran it, from when,
//     and until when.
//
// out[i] = x after rounds times x = 0.5 * x + 1, from x = i
// log[block] = SM, start in ns, stop in ns, SM cycles between the two
//
// Changed:  nothing, the first step
// Launch:   block (128), grid (any)
// Defines:  none
// Cost:     4*threads + 32*blocks bytes, 2*threads*rounds flops
// Assumes:  rounds long enough for several steps of %globaltimer,
//           up to 1 us each on some GPUs
extern "C" __global__
void warps_schedule(
    float* __restrict__ out,       // [threads]
    long long* __restrict__ log,   // [blocks, 4]
    int rounds)
{
    int sm;
    long long start_ns, stop_ns;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    const long long start = clock64();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    // Each round waits for the one before it, about four cycles long.
    #pragma unroll 64
    for (int round = 0; round < rounds; ++round)
        x = fmaf(0.5f, x, 1.0f);
    out[i] = x;

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

// streams/04_dependent: the next link may start early, and waits where it
//     needs the one before.
//
// out[i] = in[i] + weight(i), where weight(i) = x after rounds times
//          x = 0.5 * x + 1, from x = i
// stamps[block] = begin, when in[] was needed, and end of the block in ns
//
// Changed:  griddepcontrol: one to let the next kernel start, one to wait
//           for the kernel before                        (from 03_chain)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  TRIGGER = 1
// Cost:     8*n bytes, 2*n*rounds flops
// Assumes:  sm_90; a launch that allows it, else it does what 03_chain does
// 1: the next kernel may start at once, 0: when this one ends.
#ifndef TRIGGER
#define TRIGGER 1
#endif

__device__ __forceinline__ long long now()
{
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) :: "memory");
    return ns;
}

extern "C" __global__
void streams_dependent(
    const float* in,                  // [n]
    float* __restrict__ out,          // [n]
    long long* __restrict__ stamps,   // [ceil(n/256), 3]
    int n, int rounds)
{
    long long begin_ns = now();
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (TRIGGER)   // this block has no objection
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");

    float weight = i;
    #pragma unroll 16
    for (int round = 0; round < rounds; ++round)
        weight = fmaf(0.5f, weight, 1.0f);

    // Returns when the kernel before has ended and its writes are visible.
    asm volatile("griddepcontrol.wait;" ::: "memory");
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

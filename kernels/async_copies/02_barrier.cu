// async_copies/02_barrier: the same meeting at a barrier that lies in memory.
//
// each round, from value = thread and own = ~thread:
//     the late warp takes late_steps of v <- 747796405 * (v ^ v >> 15),
//     everyone takes own_steps of own, by the same formula,
//     value[t] += value[t + 32] of before, around the block
// out[thread] = value ^ own
//
// Changed:  __syncthreads() -> meeting.arrive_and_wait()     (from 01_meet)
// Launch:   block (256), grid (SMs)
// Defines:  none
// Cost:     4*blocks*256 bytes, 0 flops
// Assumes:  rounds >= 1; block (256); sm_80
#include <cuda/barrier>

// Work that no compiler shortens: each step needs the one before it, and the
// shift keeps eight of them from becoming one multiplication.
__device__ unsigned int steps(unsigned int v, int count)
{
    #pragma unroll 8
    for (int i = 0; i < count; ++i) v = 747796405u * (v ^ v >> 15);
    return v;
}

extern "C" __global__
void async_copies_barrier(
    unsigned int* __restrict__ out,   // [blocks * 256]
    int rounds, int late_steps, int own_steps)
{
    __shared__ unsigned int box[2][256];   // a round writes one, reads it
    __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
    int thread = threadIdx.x, warp = thread / 32;
    unsigned int value = blockIdx.x * 256 + thread, own = ~value;
    if (thread == 0) init(&meeting, 256);
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (warp == round % 8) value = steps(value, late_steps);
        box[round % 2][thread] = value;
        meeting.arrive_and_wait();
        own = steps(own, own_steps);
        value += box[round % 2][(thread + 32) % 256];
    }
    out[blockIdx.x * 256 + thread] = value ^ own;
}

// host_memory/exercises/ticket: count in a __device__ variable,
//     and leave it as it was found.
//
// number[0] = how many in[i] are greater than limit
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     4*n bytes, 0 flops
// Assumes:  one launch at a time
//
// `count` and `done` outlive the launch, so the next one begins with what
// this one leaves there. Every block adds to `count`; the block that is the
// last to finish knows the result. Asked: right results, launch after launch,
// from the same two variables.
__device__ unsigned int count = 0, done = 0;

extern "C" __global__
void host_memory_ticket(
    const float* __restrict__ in,         // [n]
    unsigned int* __restrict__ number,    // [1]
    int n, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > limit) {
        atomicAdd(&count, 1);
    }
    // YOUR CODE 1: last block: write number[0], clean up (about 8 lines)
}

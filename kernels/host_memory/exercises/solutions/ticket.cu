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
// HINT 1: atomicAdd returns what was there before. The block that gets
//         gridDim.x - 1 from `done` is the last.
// HINT 2: All threads of the block must have counted before one of them takes
//         the ticket: a barrier, and __threadfence() so that the counts are
//         visible to every block before the ticket is.
// HINT 3: The last block has one more thing to do, twice: nobody else will
//         set the variables to 0.
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
    // BEGIN SOLUTION 1: last block: write number[0], clean up (about 8 lines)
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
    // END SOLUTION 1
}

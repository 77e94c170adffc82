// profiling/exercises/bright: how many pixels are bright?
//
// out[0] = the number of elements of in that are at least level
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     4*n bytes, n flops
// Assumes:  n + 256 <= 2^31; out[0] is 0 before the launch
//
// As given, every bright element adds 1 to one word of memory. A profile
// shows warps that wait (long_scoreboard, lg_throttle) and an L2 cache that
// adds up, one after the other. Asked: at most one atomic for each block,
// those in shared memory included.
// HINT 1: Bring together what a block has counted, before anybody adds.
// HINT 2: __syncthreads_count(condition) returns for how many threads of the
//         block the condition holds.
extern "C" __global__
void profiling_bright(
    const float* __restrict__ in,  // [n]
    int* __restrict__ out,         // [1]
    float level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: count in the block, then add once
    // GIVEN: if (i < n && in[i] >= level) {
    // GIVEN:     atomicAdd(out, 1);
    // GIVEN: }
    int count = __syncthreads_count(i < n && in[i < n ? i : 0] >= level);
    if (threadIdx.x == 0) {
        atomicAdd(out, count);
    }
    // END SOLUTION 1
}

// measure/exercises/scrub: write a buffer of any size with a grid of any
//     size, to empty the L2.
//
// buffer[i] = value for every i
//
// Launch:   block (256), any grid: fewer threads than elements, or more
// Defines:  none
// Cost:     4*n bytes, 0 flops
// Assumes:  nothing
// HINT 1: A thread takes element i, then i + threads, i + 2 * threads, ...
// HINT 2: threads = gridDim.x * blockDim.x. At each turn a warp writes
//         32 neighbours.
extern "C" __global__
void measure_scrub(
    float* __restrict__ buffer,     // [n]
    int n, float value)
{
    // BEGIN SOLUTION 1: write every element, whatever the grid
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        buffer[i] = value;
    // END SOLUTION 1
}

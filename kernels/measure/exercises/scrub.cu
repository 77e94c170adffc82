// measure/exercises/scrub: write a buffer of any size with a grid of any
//     size, to empty the L2.
//
// buffer[i] = value for every i
//
// Launch:   block (256), any grid: fewer threads than elements, or more
// Defines:  none
// Cost:     4*n bytes, 0 flops
// Assumes:  nothing
extern "C" __global__
void measure_scrub(
    float* __restrict__ buffer,     // [n]
    int n, float value)
{
    // YOUR CODE 1: write every element, whatever the grid
}

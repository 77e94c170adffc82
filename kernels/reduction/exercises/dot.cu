// reduction/exercises/dot: a dot product whose tree is made of shuffles.
//
// partial[block] = sum of x[i] * y[i] over the block's 256 elements
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 2*n flops
// Assumes:  n + 256 < 2^31
//
// Asked: the right sums, x and y read once, the tree of each warp in
// registers, and no more than two barriers.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: the sum of each warp, by shuffles (about 4 lines)
    // YOUR CODE 2: the sum of the block, to partial (about 9 lines)
}

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
// HINT 1: __shfl_down_sync(0xffffffff, sum, 16) gives a lane the `sum` of the
//         lane 16 above it. Go on with 8, 4, 2 and 1.
// HINT 2: All 32 lanes must come to a shuffle, also those whose element lies
//         behind the end: give these a 0, and no branch.
// HINT 3: Lane 0 of each warp has a sum now. Eight floats of shared memory
//         and one barrier bring them to the first warp.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: the sum of each warp, by shuffles (about 4 lines)
    float sum = i < n ? x[i] * y[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    // END SOLUTION 1
    // BEGIN SOLUTION 2: the sum of the block, to partial (about 9 lines)
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0.0f;
        for (int offset = 4; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
        if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    }
    // END SOLUTION 2
}

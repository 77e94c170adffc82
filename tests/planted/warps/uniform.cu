// WRONG both_always: every lane does both kinds of work and keeps one result.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = in[i], root = 1.0f, inverse = 1.0f;
        #pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            root = 0.5f * (root + a / root);
            inverse = inverse * (2.0f - a * inverse);
        }
        out[i] = i % 2 == 0 ? root : inverse;
    }
}

// WRONG half_warps: the kinds change every 16 threads, so each warp still has both.
// BEGIN SOLUTION 1
    int half = 16;
    int i = blockIdx.x * blockDim.x + threadIdx.x / 32 * 32 + 2 * (threadIdx.x % half) + threadIdx.x / half % 2;
// END SOLUTION 1

// WRONG kind_of_the_thread: the half of the block decides on the branch, and elements change their kind.
// BEGIN SOLUTION 1
    int half = blockDim.x / 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
// END SOLUTION 1
// INSTEAD OF
        if (i % 2 == 0) {
// WRITE
        if (threadIdx.x < half) {
// END

// WRONG odd_lost: both halves take the even elements; the odd ones are never written.
// BEGIN SOLUTION 1
    int half = blockDim.x / 2;
    int i = blockIdx.x * blockDim.x + 2 * (threadIdx.x % half);
// END SOLUTION 1

// WRONG whole_grid: the halves are those of the grid, so elements beyond n are taken and others left out.
// BEGIN SOLUTION 1
    int half = gridDim.x * blockDim.x / 2;
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
// END SOLUTION 1

// RIGHT by_warps: the warps take turns: even warps even elements, odd warps odd ones.
// BEGIN SOLUTION 1
    int warp = threadIdx.x / 32;
    int i = blockIdx.x * blockDim.x + 64 * (warp / 2) + 2 * (threadIdx.x % 32) + warp % 2;
// END SOLUTION 1

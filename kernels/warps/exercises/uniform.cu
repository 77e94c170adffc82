// warps/exercises/uniform: two kinds of work in one block,
//     and no warp that does both.
//
// out[i] = sqrt(in[i]) for even i, 1 / in[i] for odd i,
//          each by `steps` steps of Newton's method
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, about 4*n*steps flops
// Assumes:  0.5 <= in[i] <= 1.5
//
// As given, neighbouring lanes take different branches, so that every warp
// walks through both. Asked: the same results, and no divergent branch where
// the block is full.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    // YOUR CODE 1: choose i so that a warp has elements of one kind
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = in[i], y = 1.0f;
        if (i % 2 == 0) {
            #pragma unroll 1
            for (int step = 0; step < steps; ++step)
                y = 0.5f * (y + a / y);
        } else {
            #pragma unroll 1
            for (int step = 0; step < steps; ++step)
                y = y * (2.0f - a * y);
        }
        out[i] = y;
    }
}

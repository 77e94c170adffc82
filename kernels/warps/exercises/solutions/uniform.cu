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
// HINT 1: An element keeps its kind. What you may change is who takes it.
// HINT 2: Let the first half of the block take the even elements, the second
//         half the odd ones.
// HINT 3: Thread t of a half takes element 2 * t of the block's 256,
//         plus 0 or 1 for the half.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    // BEGIN SOLUTION 1: choose i so that a warp has elements of one kind
    // GIVEN: int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = blockDim.x / 2;
    int i = blockIdx.x * blockDim.x
            + 2 * (threadIdx.x % half) + threadIdx.x / half;
    // END SOLUTION 1
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

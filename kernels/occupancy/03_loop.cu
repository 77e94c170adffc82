// occupancy/03_loop: as many blocks as the SMs hold at once go through the
//     array together; none waits until it may start.
//
// out[i] = in[i]
//
// Changed:  each block takes one piece -> every gridDim.x-th piece
//           (from 02_copy)
// Launch:   block (256), grid (8*SMs)
// Defines:  ITEMS = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 2*ITEMS*threads < 2^31
#ifndef ITEMS
#define ITEMS 1
#endif

extern "C" __global__
void occupancy_loop(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    #pragma unroll 1
    for (; first < n; first += ITEMS * gridDim.x * blockDim.x) {
        float held[ITEMS];
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) {
            int i = first + m * blockDim.x;
            if (i < n) held[m] = in[i];
        }
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) {
            int i = first + m * blockDim.x;
            if (i < n) out[i] = held[m];
        }
    }
}

// occupancy/09_operands: every multiply-add reads OPERANDS registers that its
//     neighbours do not read.
//
// out[i] = sum over c < 8 of acc[c], where acc[c] starts at in[i] + c and
//          `steps` times becomes acc[c] * scale + shift
//
// Changed:  scale and shift have a copy for each chain, if OPERANDS asks
//           for it; one register a chain -> OPERANDS    (from 01_chains)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  OPERANDS = 1
// Cost:     8*n bytes, 16*steps*n flops
// Assumes:  steps a multiple of 16
#ifndef OPERANDS
#define OPERANDS 1
#endif
static_assert(OPERANDS >= 1 && OPERANDS <= 3,
              "a multiply-add reads three registers at most");

extern "C" __global__
void occupancy_operands(
    const float* __restrict__ in,      // [n]
    const float* __restrict__ scale,   // [8], all alike
    const float* __restrict__ shift,   // [8], all alike
    float* __restrict__ out,           // [n]
    int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float start = i < n ? in[i] : 0.0f, acc[8], times[8], plus[8];
    #pragma unroll
    for (int c = 0; c < 8; ++c) {
        // Were it not for the lane, the compiler would keep scale and shift
        // once for the whole warp.
        int own = (threadIdx.x + c) % 8, first = threadIdx.x % 8;
        acc[c] = start + c;
        times[c] = scale[OPERANDS >= 2 ? own : first];
        plus[c] = shift[OPERANDS >= 3 ? own : first];
    }
    #pragma unroll 1
    for (int step = 0; step < steps; step += 16) {
        #pragma unroll
        for (int u = 0; u < 16; ++u) {
            #pragma unroll
            for (int c = 0; c < 8; ++c)
                acc[c] = fmaf(acc[c], times[c], plus[c]);
        }
    }
    float sum = acc[0];
    #pragma unroll
    for (int c = 1; c < 8; ++c) sum += acc[c];
    if (i < n) out[i] = sum;
}

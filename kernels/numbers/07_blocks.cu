// numbers/07_blocks: short sums first, then the sum of these:
//     no number meets a much larger one.
//
// out[col] = sum over row of in[row, col]
//
// Changed:  one loop -> a loop over parts of BLOCK rows, each with a sum
//           of its own (from 06_sum)
// Launch:   block (32), grid (ceil(cols/32))
// Defines:  ACC = float, BLOCK = 64
// Cost:     4*rows*cols + 4*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31; ACC is double, float, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef ACC
#define ACC float
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

extern "C" __global__
void numbers_blocks(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        ACC acc = 0.0f;
        for (int first = 0; first < rows; first += BLOCK) {
            ACC part = 0.0f;
            for (int row = first; row < min(first + BLOCK, rows); ++row) {
                part = part + ACC(in[row * cols + col]);
            }
            acc = acc + part;
        }
        out[col] = float(acc);
    }
}

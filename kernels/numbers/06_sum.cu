// numbers/06_sum: a thread adds up one column in an accumulator of a type
//     that you choose.
//
// out[col] = sum over row of in[row, col]
//
// Changed:  rewrite: a long sum in place of one operation for each element
// Launch:   block (32), grid (ceil(cols/32))
// Defines:  ACC = float
// Cost:     4*rows*cols + 4*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31; ACC is double, float, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef ACC
#define ACC float
#endif

extern "C" __global__
void numbers_sum(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        ACC acc = 0.0f;
        for (int row = 0; row < rows; ++row) {
            acc = acc + ACC(in[row * cols + col]);
        }
        out[col] = float(acc);
    }
}

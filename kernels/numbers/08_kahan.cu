// numbers/08_kahan: what rounding took from one addition is given to the next
//     (Kahan, 1965).
//
// out[col] = sum over row of in[row, col]
//
// Changed:  acc + value -> acc + (value - lost), and lost found anew
//           (from 06_sum)
// Launch:   block (32), grid (ceil(cols/32))
// Defines:  ACC = float
// Cost:     4*rows*cols + 4*cols bytes, 4*rows*cols flops
// Assumes:  rows * cols < 2^31; ACC is double, float, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef ACC
#define ACC float
#endif

extern "C" __global__
void numbers_kahan(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        ACC acc = 0.0f, lost = 0.0f;
        for (int row = 0; row < rows; ++row) {
            ACC value = ACC(in[row * cols + col]) - lost;
            ACC next = acc + value;
            // In exact arithmetic this is 0. In ours it is what
            // next has too much.
            lost = (next - acc) - value;
            acc = next;
        }
        out[col] = float(acc);
    }
}

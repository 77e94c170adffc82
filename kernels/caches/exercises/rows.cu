// caches/exercises/rows: one walk over the vector for ROWS rows,
//     instead of one for each.
//
// out[r] = sum over c of matrix[r, c] * vector[c]
//
// Launch:   block (128), grid (ceil(rows/(4*ROWS)))
// Defines:  ROWS = 4
// Cost:     4*rows*cols bytes, 2*rows*cols flops
// Assumes:  rows * cols < 2^31
//
// A warp takes ROWS rows of the matrix. As given, it walks along them
// one after the other and loads the whole vector each time: from a cache,
// but it loads it. Asked: the same sums, with each element of the vector
// loaded once a warp.
#ifndef ROWS
#define ROWS 4
#endif

extern "C" __global__
void caches_rows(
    const float* __restrict__ matrix,   // [rows, cols]
    const float* __restrict__ vector,   // [cols]
    float* __restrict__ out,            // [rows]
    int rows, int cols)
{
    int lane = threadIdx.x % 32,
        first = ROWS * (blockIdx.x * 4 + threadIdx.x / 32);
    float sum[ROWS] = {};
    // YOUR CODE 1: load each vector[c] once, use it for all ROWS rows
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        for (int c = lane; c < cols; c += 32) {
            if (first + r < rows)
                sum[r] += matrix[(first + r) * cols + c]
                          * vector[c];
        }
    }
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        for (int far = 16; far > 0; far /= 2)
            sum[r] += __shfl_xor_sync(0xffffffff, sum[r], far);
        if (lane == 0 && first + r < rows) out[first + r] = sum[r];
    }
}

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
// HINT 1: The elements of the vector are the same for all rows. Which
//         of the two loops should be the inner one?
// HINT 2: Load vector[c] in front of the inner loop. sum[] has a place for
//         every row already.
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
    // BEGIN SOLUTION 1: load each vector[c] once, use it for all ROWS rows
    // GIVEN: #pragma unroll
    // GIVEN: for (int r = 0; r < ROWS; ++r) {
    // GIVEN:     for (int c = lane; c < cols; c += 32) {
    // GIVEN:         if (first + r < rows)
    // GIVEN:             sum[r] += matrix[(first + r) * cols + c]
    // GIVEN:                       * vector[c];
    // GIVEN:     }
    // GIVEN: }
    for (int c = lane; c < cols; c += 32) {
        float factor = vector[c];
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            if (first + r < rows)
                sum[r] += matrix[(first + r) * cols + c] * factor;
        }
    }
    // END SOLUTION 1
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        for (int far = 16; far > 0; far /= 2)
            sum[r] += __shfl_xor_sync(0xffffffff, sum[r], far);
        if (lane == 0 && first + r < rows) out[first + r] = sum[r];
    }
}

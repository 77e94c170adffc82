// Wrong: adds all rows into the first sum.
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
    int lane = threadIdx.x % 32, first = ROWS * (blockIdx.x * 4 + threadIdx.x / 32);
    float sum[ROWS] = {};
    for (int c = lane; c < cols; c += 32) {
        float factor = vector[c];
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            if (first + r < rows) sum[0] += matrix[(first + r) * cols + c] * factor;
        }
    }
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        for (int far = 16; far > 0; far /= 2) sum[r] += __shfl_xor_sync(0xffffffff, sum[r], far);
        if (lane == 0 && first + r < rows) out[first + r] = sum[r];
    }
}

// matvec/04_warp: a warp a row: its lanes read neighbouring floats, and
//     add up their 32 sums with shuffles.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  a thread a row -> a warp a row    (from 02_thread)
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  none
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  nothing
extern "C" __global__
void matvec_warp(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r < rows) {
        const float* row = a + (long long)r * cols;
        float acc = 0;
        #pragma unroll 1
        for (int c = lane; c < cols; c += 32)
            acc += row[c] * x[c];
        #pragma unroll
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
        if (lane == 0) y[r] = acc;
    }
}

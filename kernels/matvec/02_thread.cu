// matvec/02_thread: a thread a row: neighbouring lanes read addresses that
//     are a whole row apart.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  rewrite: a product in place of a sum    (from 01_read)
// Launch:   block (64), grid (ceil(rows/64))
// Defines:  none
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  nothing
extern "C" __global__
void matvec_thread(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        const float* row = a + (long long)r * cols;
        float acc = 0;
        #pragma unroll 4
        for (int c = 0; c < cols; ++c)
            acc += row[c] * x[c];
        y[r] = acc;
    }
}

// matvec/03_column: the transposed product, a thread a column: neighbouring
//     lanes read neighbouring floats.
//
// y[c] = a[0, c] * x[0] + a[1, c] * x[1] + ...
//
// Changed:  along a row -> down a column    (from 02_thread)
// Launch:   block (64), grid (ceil(cols/64))
// Defines:  none
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  nothing
extern "C" __global__
void matvec_column(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [rows]
    float* __restrict__ y,         // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        const float* column = a + c;
        float acc = 0;
        #pragma unroll 4
        for (int r = 0; r < rows; ++r)
            acc += column[(long long)r * cols] * x[r];
        y[c] = acc;
    }
}

// matvec/17_unrolled: a thread a column, with UNROLL loads of it in flight.
//
// y[c] = a[0, c] * x[0] + a[1, c] * x[1] + ...
//
// Changed:  unrolled 4 times -> UNROLL times    (from 03_column)
// Launch:   block (64), grid (ceil(cols/64))
// Defines:  UNROLL = 8
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  nothing
#ifndef UNROLL
#define UNROLL 8
#endif

extern "C" __global__
void matvec_unrolled(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [rows]
    float* __restrict__ y,         // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        const float* column = a + c;
        float acc = 0;
        #pragma unroll UNROLL
        for (int r = 0; r < rows; ++r)
            acc += column[(long long)r * cols] * x[r];
        y[c] = acc;
    }
}

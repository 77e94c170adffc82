// matvec/exercises/warp_row: put all 32 lanes of a warp to work on its row.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  none
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  rows * cols < 2^31
//
// Every warp has a row, and as given its lane 0 does all the work: each of
// its loads brings a sector of 32 bytes for one float. Asked: loads that use
// all of their sectors, and lanes that all add.
extern "C" __global__
void matvec_warp_row(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r < rows) {
        // YOUR CODE 1: let all lanes read and add (about 6 lines)
        float acc = 0;
        if (lane == 0)
            for (int c = 0; c < cols; ++c)
                acc += a[r * cols + c] * x[c];
        if (lane == 0) y[r] = acc;
    }
}

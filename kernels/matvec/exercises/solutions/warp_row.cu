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
// HINT 1: In step k of a loop, lane l may read element 32 * k + l of the row.
// HINT 2: Then every lane has a sum of its own. Five steps with
//         __shfl_xor_sync(0xffffffff, acc, far), far = 16, 8, 4, 2, 1, give
//         each lane the sum of all.
// HINT 3: All lanes of a warp must come to a shuffle. They have one row, so
//         `r < rows` holds for all of them or for none.
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
        // BEGIN SOLUTION 1: let all lanes read and add (about 6 lines)
        // GIVEN: float acc = 0;
        // GIVEN: if (lane == 0)
        // GIVEN:     for (int c = 0; c < cols; ++c)
        // GIVEN:         acc += a[r * cols + c] * x[c];
        float acc = 0;
        for (int c = lane; c < cols; c += 32)
            acc += a[r * cols + c] * x[c];
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
        // END SOLUTION 1
        if (lane == 0) y[r] = acc;
    }
}

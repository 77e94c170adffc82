// matvec/exercises/odd_rows: add up rows with float4 loads, whatever address
//     a row begins at.
//
// y[r] = a[r, 0] + a[r, 1] + ...     (x is all ones, so it is left out)
//
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  none
// Cost:     4*(rows*cols + rows) bytes, rows*cols flops
// Assumes:  a starts at a multiple of 16 bytes; rows * cols < 2^31
//
// A float4 has to lie at a multiple of 16 bytes. If cols is no multiple of
// 4, most rows begin somewhere else. Asked: float4 loads for all that is
// aligned, single floats for the few before and behind it.
extern "C" __global__
void matvec_odd_rows(
    const float* __restrict__ a,   // [rows, cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r < rows) {
        const float* row = a + r * cols;
        float acc = 0;
        // YOUR CODE 1: head, words of four, tail (about 11 lines)
        for (int c = lane; c < cols; c += 32)
            acc += row[c];
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
        if (lane == 0) y[r] = acc;
    }
}

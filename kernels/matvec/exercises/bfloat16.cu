// matvec/exercises/bfloat16: eight bfloat16 numbers a load, and a sum in
//     float.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...     (a in bfloat16)
//
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  none
// Cost:     2*rows*cols + 4*(rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of 8; rows * cols < 2^31
//
// A bfloat16 is the upper half of a float's bits. As given, a lane loads one
// of them at a time, 2 bytes. Asked: 16 bytes a lane and load, from a and
// from x alike.
extern "C" __global__
void matvec_bfloat16(
    const unsigned short* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,            // [cols]
    float* __restrict__ y,                  // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r < rows) {
        float acc = 0;
        // YOUR CODE 1: eight numbers a lane (about 15 lines)
        for (int c = lane; c < cols; c += 32)
            acc += __uint_as_float(a[r * cols + c] << 16) * x[c];
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
        if (lane == 0) y[r] = acc;
    }
}

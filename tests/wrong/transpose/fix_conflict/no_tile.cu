// Wrong: no shared memory, but a row of the matrix at a time and shuffles.
extern "C" __global__
void transpose_fix_conflict(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    int lane = threadIdx.x;
    for (int row = blockIdx.x * 32; row < min(blockIdx.x * 32 + 32, rows); ++row) {
        float sum = 0.0f;
        for (int c = lane; c < cols; c += 32) sum += in[row * cols + c];
        for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffff, sum, far);
        if (lane == 0) out[row] = sum;
    }
}

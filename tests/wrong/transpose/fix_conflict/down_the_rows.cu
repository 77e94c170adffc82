// Wrong: no shared memory; each lane walks along a row of its own.
extern "C" __global__
void transpose_fix_conflict(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int c = 0; row < rows && c < cols; ++c) sum += in[row * cols + c];
    if (row < rows) out[row] = sum;
}

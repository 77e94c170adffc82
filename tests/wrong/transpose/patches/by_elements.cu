// Wrong: right, but element by element: sixteen loads and sixteen stores a thread.
extern "C" __global__
void transpose_patches(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && col < cols)
        for (int e = 0; e < 16; ++e)
            out[(col + e % 4) * rows + row + e / 4] = in[(row + e / 4) * cols + col + e % 4];
}

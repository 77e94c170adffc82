// Wrong: the row steps by blockDim.x, 32, between blocks that cover 8: right for up to 8 rows.
extern "C" __global__
void measure_swapped(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row < rows && col < cols)
        out[row * cols + col] = 2.0f * in[row * cols + col];
}

// Wrong: threads to the right of the matrix write into the next row.
extern "C" __global__
void measure_swapped(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row < rows)
        out[row * cols + col] = 2.0f * in[row * cols + col];
}

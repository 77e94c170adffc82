// Wrong: the bias is taken by row, not by column.
extern "C" __global__
void vector_add_add_bias(
    const float* __restrict__ in,    // [rows, cols]
    const float* __restrict__ bias,  // [cols]
    float* __restrict__ out,         // [rows, cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        out[row * cols + col] = in[row * cols + col] + bias[min(row, cols - 1)];
    }
}

// Wrong: col runs past its edge into the next row and past the bias.
extern "C" __global__
void vector_add_add_bias(
    const float* __restrict__ in,    // [rows, cols]
    const float* __restrict__ bias,  // [cols]
    float* __restrict__ out,         // [rows, cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows) {
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
}

// Wrong: a thread takes a whole row: its warp goes down the columns.
extern "C" __global__
void vector_add_add_bias(
    const float* __restrict__ in,    // [rows, cols]
    const float* __restrict__ bias,  // [cols]
    float* __restrict__ out,         // [rows, cols]
    int rows, int cols)
{
    int thread = 32 * threadIdx.y + threadIdx.x;
    if (blockIdx.x > 0 || thread >= 8) return;
    int row = blockIdx.y * 8 + thread;
    for (int col = 0; row < rows && col < cols; ++col)
        out[row * cols + col] = in[row * cols + col] + bias[col];
}

// Wrong: right values, but the 32 threads of a warp take 32 rows, each a sector of its own.
extern "C" __global__
void vector_add_add_bias(
    const float* __restrict__ in,    // [rows, cols]
    const float* __restrict__ bias,  // [cols]
    float* __restrict__ out,         // [rows, cols]
    int rows, int cols)
{
    int side = blockIdx.y * blockDim.y * gridDim.x + blockIdx.x * blockDim.y + threadIdx.y;
    int threads = gridDim.x * gridDim.y * blockDim.y;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        for (int col = side; col < cols; col += threads) {
            out[row * cols + col] = in[row * cols + col] + bias[col];
        }
    }
}

// Wrong: guards the stores alone, and reads past the end of in.
extern "C" __global__
void transpose_edges(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[32][33];
    int row = blockIdx.y * 32 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    }
    __syncthreads();

    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

// Right: an XOR in place of the spare column.
extern "C" __global__
void transpose_edges(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[32][32];
    int row = blockIdx.y * 32 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x ^ (threadIdx.y + k)] = in[(row + k) * cols + col];
        }
    }
    __syncthreads();

    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][(threadIdx.y + k) ^ threadIdx.x];
        }
    }
}

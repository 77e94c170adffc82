// Wrong: a spare column, for which there is no room.
extern "C" __global__
void transpose_swizzle(
    const float2* __restrict__ in,   // [rows, cols]
    float2* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float2 tile[32][33];
    int row = blockIdx.y * 32 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        int r = threadIdx.y + k;
        if (row + k < rows && col < cols) {
            tile[r][threadIdx.x] = in[(row + k) * cols + col];
        }
    }
    __syncthreads();

    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        int c = threadIdx.y + k;
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][c];
        }
    }
}

// Wrong: a race: other warps' elements are read before they are there.
extern "C" __global__
void transpose_swizzle(
    const float2* __restrict__ in,   // [rows, cols]
    float2* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float2 tile[32][32];
    int row = blockIdx.y * 32 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        int r = threadIdx.y + k;
        if (row + k < rows && col < cols) {
            tile[r][threadIdx.x ^ r] = in[(row + k) * cols + col];
        }
    }
    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        int c = threadIdx.y + k;
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][c ^ threadIdx.x];
        }
    }
    static_assert(sizeof(tile) == 32 * 32 * sizeof(float2), "no spare byte");
}

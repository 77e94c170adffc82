// transpose/05_coarsened: smaller blocks turn the same tiles, and a thread
//     moves TILE/LINES elements.
//
// out[c, r] = in[r, c]
//
// Changed:  one element per thread -> TILE/LINES, a block of TILE x LINES
//           (from 04_swizzled)
// Launch:   block (TILE, LINES), grid (ceil(cols/TILE), ceil(rows/TILE))
// Defines:  TILE = 32, LINES = 8, UNROLL = 4
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
#ifndef TILE
#define TILE 32
#endif
#ifndef LINES
#define LINES 8
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
static_assert(TILE % LINES == 0, "each thread takes TILE/LINES elements");
static_assert((TILE & (TILE - 1)) == 0,
              "XOR stays inside the tile for powers of two alone");

extern "C" __global__
void transpose_coarsened(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    #pragma unroll UNROLL
    for (int k = 0; k < TILE; k += LINES) {
        int r = threadIdx.y + k;
        if (row + k < rows && col < cols) {
            tile[r][threadIdx.x ^ r] = in[(row + k) * cols + col];
        }
    }
    __syncthreads();

    // Tiles change places; threads do not: lanes are neighbours along a row
    // of out as well.
    row = blockIdx.y * TILE + threadIdx.x;
    col = blockIdx.x * TILE + threadIdx.y;
    #pragma unroll
    for (int k = 0; k < TILE; k += LINES) {
        int c = threadIdx.y + k;
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][c ^ threadIdx.x];
        }
    }
}

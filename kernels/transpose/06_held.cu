// transpose/06_held: all loads of a thread leave before it waits for the
//     first of them.
//
// out[c, r] = in[r, c]
//
// Changed:  a loop that loads and keeps -> one that loads, one that keeps;
//           the tile is read outside the guard; TILE 32 -> 64
//           (from 05_coarsened)
// Launch:   block (TILE, LINES), grid (ceil(cols/TILE), ceil(rows/TILE))
// Defines:  TILE = 64, LINES = 8
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
#ifndef TILE
#define TILE 64
#endif
#ifndef LINES
#define LINES 8
#endif
static_assert(TILE % LINES == 0, "each thread takes TILE/LINES elements");
static_assert((TILE & (TILE - 1)) == 0,
              "XOR stays inside the tile for powers of two alone");

extern "C" __global__
void transpose_held(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float held[TILE / LINES] = {};
    #pragma unroll
    for (int k = 0; k < TILE; k += LINES) {
        if (row + k < rows && col < cols) {
            held[k / LINES] = in[(row + k) * cols + col];
        }
    }
    #pragma unroll
    for (int k = 0; k < TILE; k += LINES) {
        int r = threadIdx.y + k;
        tile[r][threadIdx.x ^ r] = held[k / LINES];
    }
    __syncthreads();

    // Tiles change places; threads do not: lanes are neighbours along a row
    // of out as well.
    row = blockIdx.y * TILE + threadIdx.x;
    col = blockIdx.x * TILE + threadIdx.y;
    #pragma unroll
    for (int k = 0; k < TILE; k += LINES) {
        int c = threadIdx.y + k;
        float turned = tile[threadIdx.x][c ^ threadIdx.x];
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = turned;
        }
    }
}

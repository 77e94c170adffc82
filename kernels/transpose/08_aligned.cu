// transpose/08_aligned: what a warp stores begins where a sector of out
//     begins, at every shape.
//
// out[c, r] = in[r, c]
//
// Changed:  each row of out is cut at its own multiples of ALIGN floats, so
//           a tile has ALIGN rows more  (from 07_downwards)
// Launch:   block (TILE, LINES),
//           grid (ceil((rows + ALIGN - 1)/TILE), ceil(cols/TILE))
// Defines:  TILE = 64, LINES = 8, ALIGN = 8
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
#ifndef TILE
#define TILE 64
#endif
#ifndef LINES
#define LINES 8
#endif
#ifndef ALIGN
#define ALIGN 8
#endif
static_assert(TILE % LINES == 0 && ALIGN % LINES == 0,
              "each thread loads (TILE + ALIGN)/LINES elements");
static_assert((TILE & (TILE - 1)) == 0,
              "XOR stays inside the tile for powers of two alone");

extern "C" __global__
void transpose_aligned(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[TILE + ALIGN][TILE];
    int top = blockIdx.x * TILE - ALIGN;
    int row = top + threadIdx.y;
    int col = blockIdx.y * TILE + threadIdx.x;
    float held[(TILE + ALIGN) / LINES] = {};
    #pragma unroll
    for (int k = 0; k < TILE + ALIGN; k += LINES) {
        if (row + k >= 0 && row + k < rows && col < cols) {
            held[k / LINES] = in[(row + k) * cols + col];
        }
    }
    #pragma unroll
    for (int k = 0; k < TILE + ALIGN; k += LINES) {
        int r = threadIdx.y + k;
        tile[r][threadIdx.x ^ r % TILE] = held[k / LINES];
    }
    __syncthreads();

    // Tiles change places; threads do not: lanes are neighbours along a row
    // of out as well.
    col = blockIdx.y * TILE + threadIdx.y;
    #pragma unroll
    for (int k = 0; k < TILE; k += LINES) {
        int c = threadIdx.y + k;
        // So many floats before this row of out a sector begins.
        int early = unsigned(col + k) * rows % ALIGN;
        int r = threadIdx.x + ALIGN - early;
        row = top + r;
        float turned = tile[r][c ^ r % TILE];
        if (row >= 0 && row < rows && col + k < cols) {
            out[(col + k) * rows + row] = turned;
        }
    }
}

// transpose/03_padded: a spare float per row spreads a column of the tile
//     over all 32 banks.
//
// out[c, r] = in[r, c]
//
// Changed:  tile[TILE][TILE] -> tile[TILE][TILE + PAD]    (from 02_tiled)
// Launch:   block (TILE, TILE), grid (ceil(cols/TILE), ceil(rows/TILE))
// Defines:  TILE = 32, PAD = 1
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
#ifndef TILE
#define TILE 32
#endif
#ifndef PAD
#define PAD 1
#endif
static_assert(TILE * TILE <= 1024, "TILE*TILE threads must fit in one block");

extern "C" __global__
void transpose_padded(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[TILE][TILE + PAD];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();

    // Tiles change places; threads do not: lanes are neighbours along a row
    // of out as well.
    row = blockIdx.y * TILE + threadIdx.x;
    col = blockIdx.x * TILE + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

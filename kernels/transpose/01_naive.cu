// transpose/01_naive: reads a row, writes a column: 32 lanes store
//     to 32 sectors.
//
// out[c, r] = in[r, c]
//
// Changed:  nothing, the first step
// Launch:   block (TILE, TILE), grid (ceil(cols/TILE), ceil(rows/TILE))
// Defines:  TILE = 32
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
#ifndef TILE
#define TILE 32
#endif
static_assert(TILE * TILE <= 1024, "TILE*TILE threads must fit in one block");

extern "C" __global__
void transpose_naive(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

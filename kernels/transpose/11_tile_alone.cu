// transpose/11_tile_alone: fills a tile and reads its columns,
//     and leaves global memory alone.
//
// out[0] stays as it was, unless an element of the tile equals never
//
// Changed:  elements are made up and thrown away  (from 03_padded)
// Launch:   block (TILE, TILE), grid (ceil(cols/TILE), ceil(rows/TILE))
// Defines:  TILE = 32, PAD = 1
// Cost:     0 bytes, 0 flops
// Assumes:  never is negative
#ifndef TILE
#define TILE 32
#endif
#ifndef PAD
#define PAD 1
#endif
static_assert(TILE * TILE <= 1024, "TILE*TILE threads must fit in one block");

extern "C" __global__
void transpose_tile_alone(
    float* __restrict__ out,        // [1]
    int rows, int cols, float never)
{
    __shared__ float tile[TILE][TILE + PAD];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = row + col;
    }
    __syncthreads();

    row = blockIdx.y * TILE + threadIdx.x;
    col = blockIdx.x * TILE + threadIdx.y;
    if (row < rows && col < cols) {
        float turned = tile[threadIdx.x][threadIdx.y];
        if (turned == never) {
            out[0] = turned;
        }
    }
}

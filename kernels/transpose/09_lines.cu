// transpose/09_lines: where a load needs a part of a line, the L2 cache
//     fetches all of it.
//
// out[c, r] = in[r, c]
//
// Changed:  a plain load -> one with the hint L2::128B  (from 08_aligned)
// Launch:   block (TILE, LINES),
//           grid (ceil((rows + ALIGN - 1)/TILE), ceil(cols/TILE))
// Defines:  TILE = 64, LINES = 8, ALIGN = 8
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31; sm_75 or newer, for the hint
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

// Loads a float, and asks the L2 cache to fetch all of its line.
__device__ __forceinline__ void fetch(float& value, const float* address)
{
    asm("ld.global.nc.L2::128B.f32 %0, [%1];" : "=f"(value) : "l"(address));
}

extern "C" __global__
void transpose_lines(
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
            fetch(held[k / LINES], &in[(row + k) * cols + col]);
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

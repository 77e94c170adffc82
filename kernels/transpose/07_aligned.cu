// transpose/07_aligned: rows of the turned tile begin where sectors of out
//     begin, at every shape.
//
// out[c, r] = in[r, c]
//
// Changed:  rewrite: each row of out is cut at its own multiples of ALIGN
//           floats; VEC is 1
// Launch:   block (32, LINES),
//           grid (ceil(cols/WIDE), ceil((rows + ALIGN - 1)/TALL))
// Defines:  WIDE = 64, TALL = 128, ALIGN = 8, LINES = 8
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
#ifndef WIDE
#define WIDE 64
#endif
#ifndef TALL
#define TALL 128
#endif
#ifndef ALIGN
#define ALIGN 8
#endif
#ifndef LINES
#define LINES 8
#endif
static_assert(WIDE % 32 == 0 && TALL % 32 == 0 && ALIGN % LINES == 0,
              "whole requests");

extern "C" __global__
void transpose_aligned(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    constexpr int ACROSS = WIDE / 32, STEPS = (TALL + ALIGN) / LINES * ACROSS;
    // Up to ALIGN - 1 rows above the tile are wanted as well, by the rows
    // of out that start early.
    __shared__ float tile[TALL + ALIGN][WIDE];
    float held[STEPS] = {};
    int top = blockIdx.y * TALL - ALIGN;
    int wanted = max(rows % ALIGN ? top : top + ALIGN, 0);
    #pragma unroll
    for (int k = 0; k < STEPS; ++k) {
        int row = top + threadIdx.y + k / ACROSS * LINES;
        int col = blockIdx.x * WIDE + threadIdx.x + k % ACROSS * 32;
        if (row >= wanted && row < rows && col < cols) {
            held[k] = in[row * cols + col];
        }
    }
    #pragma unroll
    for (int k = 0; k < STEPS; ++k) {
        int r = threadIdx.y + k / ACROSS * LINES;
        tile[r][(threadIdx.x + k % ACROSS * 32) ^ (r % 32)] = held[k];
    }
    __syncthreads();

    #pragma unroll
    for (int k = 0; k < WIDE; k += LINES) {
        int c = k + threadIdx.y;
        int col = blockIdx.x * WIDE + c;
        // Floats from a sector's begin to this row's.
        int early = unsigned(col) * rows % ALIGN;
        #pragma unroll
        for (int across = 0; across < TALL; across += 32) {
            int r = ALIGN - early + across + threadIdx.x;
            int row = top + r;
            float turned = tile[r][c ^ (r % 32)];
            if (row >= 0 && row < rows && col < cols) {
                out[col * rows + row] = turned;
            }
        }
    }
}

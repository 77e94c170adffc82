// transpose/06_vectorised: larger tiles, and VEC floats per load and store.
//
// out[c, r] = in[r, c]
//
// Changed:  rewrite: a lane moves VEC floats at a time, and rows of the tile
//           are rows of out
// Launch:   block (32/VEC, 8*VEC), grid (ceil(cols/TILE), ceil(rows/TILE))
// Defines:  VEC = 1, TILE = 64
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows and cols multiples of VEC; in, out at multiples of 4*VEC
//           bytes; rows * cols < 2^31
#ifndef VEC
#define VEC 1
#endif
#ifndef TILE
#define TILE 64
#endif
static_assert(VEC == 1 || VEC == 2 || VEC == 4,
              "a lane moves 4, 8 or 16 bytes");
static_assert(TILE % 32 == 0, "a tile is made of pieces of 32 x 32");

struct __align__(4 * VEC) Vec { float at[VEC]; };

extern "C" __global__
void transpose_vectorised(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    constexpr int LINES = 8 * VEC, ACROSS = TILE / 32,
                  STEPS = TILE / LINES * ACROSS;
    // Element (r, c) is kept at tile[c][r ^ (c % 32 rounded down to VEC)]:
    // Vecs stay whole.
    __shared__ __align__(16) float tile[TILE][TILE];
    Vec held[STEPS] = {};
    #pragma unroll
    for (int k = 0; k < STEPS; ++k) {
        int row = blockIdx.y * TILE + threadIdx.y + k / ACROSS * LINES;
        int col = blockIdx.x * TILE + VEC * threadIdx.x + k % ACROSS * 32;
        if (row < rows && col < cols) {
            held[k] = reinterpret_cast<const Vec&>(in[row * cols + col]);
        }
    }
    #pragma unroll
    for (int k = 0; k < STEPS; ++k) {
        int r = threadIdx.y + k / ACROSS * LINES;
        int c = VEC * threadIdx.x + k % ACROSS * 32;
        #pragma unroll
        for (int v = 0; v < VEC; ++v) {
            tile[c + v][r ^ (c % 32)] = held[k].at[v];
        }
    }
    __syncthreads();

    #pragma unroll
    for (int k = 0; k < STEPS; ++k) {
        int r = VEC * threadIdx.x + k % ACROSS * 32;
        int c = threadIdx.y + k / ACROSS * LINES;
        int row = blockIdx.y * TILE + r;
        int col = blockIdx.x * TILE + c;
        Vec turned =
            reinterpret_cast<const Vec&>(tile[c][r ^ (c % 32 & -VEC)]);
        if (row < rows && col < cols) {
            reinterpret_cast<Vec&>(out[col * rows + row]) = turned;
        }
    }
}

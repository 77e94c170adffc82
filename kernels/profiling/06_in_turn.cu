// profiling/06_in_turn: a thread takes four elements, one after the
//     other (UNROLL = 1), or four loads first (UNROLL = 4).
//
// out[row, col] = curve[floor(256 * in[row, col])]
//
// Changed:  four elements a thread, in a loop
//           (from 05_flat)
// Launch:   block (256), grid (ceil(rows*cols/1024))
// Defines:  UNROLL = 1
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  0 <= in < 1; rows * cols < 2^31 - 1024
#ifndef UNROLL
#define UNROLL 1
#endif

__device__ float curve[256] = {
#define CELL(n) (n) * (510 - (n)) / 65025.0f
#define FOUR(n) CELL(n), CELL(n + 1), CELL(n + 2), CELL(n + 3)
#define LINE(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)
    LINE(0), LINE(16), LINE(32), LINE(48), LINE(64), LINE(80), LINE(96),
    LINE(112), LINE(128), LINE(144), LINE(160), LINE(176), LINE(192),
    LINE(208), LINE(224), LINE(240)
};

extern "C" __global__
void profiling_in_turn(
    const float* __restrict__ in,  // [rows, cols]
    float* __restrict__ out,       // [rows, cols]
    int rows, int cols)
{
    __shared__ float near[256];
    near[threadIdx.x] = curve[threadIdx.x];
    __syncthreads();
    int first = blockIdx.x * 1024 + threadIdx.x;
    #pragma unroll UNROLL
    for (int k = 0; k < 4; ++k) {
        int i = first + 256 * k;
        if (i < rows * cols) {
            out[i] = near[(int)(256 * in[i])];
        }
    }
}

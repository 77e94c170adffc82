// profiling/05_flat: row and column are not needed.
//
// out[row, col] = curve[floor(256 * in[row, col])]
//
// Changed:  no division: the element's number is its place
//           (from 04_device)
// Launch:   block (256), grid (ceil(rows*cols/256))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  0 <= in < 1; rows * cols < 2^31 - 256
__device__ float curve[256] = {
#define CELL(n) (n) * (510 - (n)) / 65025.0f
#define FOUR(n) CELL(n), CELL(n + 1), CELL(n + 2), CELL(n + 3)
#define LINE(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)
    LINE(0), LINE(16), LINE(32), LINE(48), LINE(64), LINE(80), LINE(96),
    LINE(112), LINE(128), LINE(144), LINE(160), LINE(176), LINE(192),
    LINE(208), LINE(224), LINE(240)
};

extern "C" __global__
void profiling_flat(
    const float* __restrict__ in,  // [rows, cols]
    float* __restrict__ out,       // [rows, cols]
    int rows, int cols)
{
    __shared__ float near[256];
    near[threadIdx.x] = curve[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        out[i] = near[(int)(256 * in[i])];
    }
}

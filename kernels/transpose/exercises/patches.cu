// transpose/exercises/patches: 4 x 4 patches turned in registers,
//     with no shared memory at all.
//
// out[c, r] = in[r, c]
//
// Launch:   block (8, 32), grid (ceil(cols/32), ceil(rows/128))
// Defines:  none
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows and cols are multiples of 4, rows * cols < 2^31;
//           16-byte alignment of in and out
//
// A thread owns 4 rows x 4 columns. Asked: four float4 loads and four float4
// stores a thread, and no other access to memory.
extern "C" __global__
void transpose_patches(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && col < cols) {
        // YOUR CODE 1: load, turn, store four float4 (about 15 lines)
    }
}

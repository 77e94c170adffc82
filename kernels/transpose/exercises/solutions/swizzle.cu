// transpose/exercises/swizzle: complex numbers, 8 bytes each,
//     turned without a spare byte.
//
// out[c, r] = in[r, c]
//
// Launch:   block (32, 8), grid (ceil(cols/32), ceil(rows/32))
// Defines:  none
// Cost:     16*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^30, in and out start at multiples of 8 bytes
//
// An element is a float2. The tile has room for 32 x 32 of them and for
// nothing else: no padding. Asked: no bank conflict, in loads and in stores.
// HINT 1: Shared memory serves 8-byte accesses by half-warps: 16 lanes,
//         two banks each.
// HINT 2: Lanes of a half-warp that read column c must find it in 16
//         different places of their rows.
// HINT 3: Keep element (r, c) in column c ^ r. Both halves of the kernel have
//         to agree on it.
extern "C" __global__
void transpose_swizzle(
    const float2* __restrict__ in,   // [rows, cols]
    float2* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float2 tile[32][32];
    int row = blockIdx.y * 32 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        int r = threadIdx.y + k;
        if (row + k < rows && col < cols) {
            // BEGIN SOLUTION 1: where to keep element (r, threadIdx.x)
            // GIVEN: tile[r][threadIdx.x] = in[(row + k) * cols + col];
            tile[r][threadIdx.x ^ r] = in[(row + k) * cols + col];
            // END SOLUTION 1
        }
    }
    __syncthreads();

    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        int c = threadIdx.y + k;
        if (row < rows && col + k < cols) {
            // BEGIN SOLUTION 2: where to find element (threadIdx.x, c)
            // GIVEN: out[(col + k) * rows + row] = tile[threadIdx.x][c];
            out[(col + k) * rows + row] = tile[threadIdx.x][c ^ threadIdx.x];
            // END SOLUTION 2
        }
    }
    static_assert(sizeof(tile) == 32 * 32 * sizeof(float2), "no spare byte");
}

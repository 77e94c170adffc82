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
// HINT 1: The patch begins at (row, col). Row k of it is the float4 at
//         in + (row + k) * cols + col.
// HINT 2: Row k of the turned patch collects component k of the four
//         that were loaded.
// HINT 3: A float4 as an array: reinterpret_cast<const float*>(&held[j])[k],
//         in an unrolled loop, is a register. Or write .x, .y, .z and .w out.
extern "C" __global__
void transpose_patches(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && col < cols) {
        // BEGIN SOLUTION 1: load, turn, store four float4 (about 15 lines)
        float4 held[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            held[k] =
                *reinterpret_cast<const float4*>(in + (row + k) * cols + col);
        }
        float4 turned[4] = {
            make_float4(held[0].x, held[1].x, held[2].x, held[3].x),
            make_float4(held[0].y, held[1].y, held[2].y, held[3].y),
            make_float4(held[0].z, held[1].z, held[2].z, held[3].z),
            make_float4(held[0].w, held[1].w, held[2].w, held[3].w),
        };
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            *reinterpret_cast<float4*>(out + (col + k) * rows + row) =
                turned[k];
        }
        // END SOLUTION 1
    }
}

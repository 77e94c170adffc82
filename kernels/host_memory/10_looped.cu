// host_memory/10_looped: one element a thread at a time, in a quarter of the
//     blocks, which loop over their row.
//
// out[row, col] = 2 * in[row, col]      for col < cols;
//                                       what fills up a row stays untouched
//
// Changed:  one column a thread -> a loop over columns     (from 04_pitched)
// Launch:   block (256), grid (rows)
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  pitch a multiple of 4, at least 4*cols
extern "C" __global__
void host_memory_looped(
    const float* __restrict__ in,   // [rows, pitch / 4]
    float* __restrict__ out,        // [rows, pitch / 4]
    int rows, int cols, size_t pitch)
{
    int row = blockIdx.x;
    const float* in_row = (const float*)((const char*)in + row * pitch);
    float* out_row = (float*)((char*)out + row * pitch);
    if (row < rows) {
        #pragma unroll 1
        for (int col = threadIdx.x; col < cols; col += blockDim.x) {
            out_row[col] = 2 * in_row[col];
        }
    }
}

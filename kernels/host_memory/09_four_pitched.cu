// host_memory/09_four_pitched: four elements a thread, a block apart, in rows
//     that start `pitch` bytes after each other.
//
// out[row, col] = 2 * in[row, col]      for col < cols;
//                                       what fills up a row stays untouched
//
// Changed:  one element a thread -> four, a block apart (from 04_pitched)
// Launch:   block (256), grid (rows, ceil(cols/1024))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  pitch a multiple of 4, at least 4*cols
extern "C" __global__
void host_memory_four_pitched(
    const float* __restrict__ in,   // [rows, pitch / 4]
    float* __restrict__ out,        // [rows, pitch / 4]
    int rows, int cols, size_t pitch)
{
    int row = blockIdx.x;
    int col = blockIdx.y * 4 * blockDim.x + threadIdx.x;
    const float* in_row = (const float*)((const char*)in + row * pitch);
    float* out_row = (float*)((char*)out + row * pitch);
    float held[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int at = col + k * blockDim.x;
        held[k] = row < rows && at < cols ? in_row[at] : 0;
    }
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int at = col + k * blockDim.x;
        if (row < rows && at < cols) out_row[at] = 2 * held[k];
    }
}

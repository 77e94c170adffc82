// host_memory/08_four_packed: four elements a thread, a block apart, in rows
//     without a gap.
//
// out[row, col] = 2 * in[row, col]
//
// Changed:  one element a thread -> four, a block apart (from 03_packed)
// Launch:   block (256), grid (rows, ceil(cols/1024))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  nothing
extern "C" __global__
void host_memory_four_packed(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    int row = blockIdx.x;
    int col = blockIdx.y * 4 * blockDim.x + threadIdx.x;
    const float* in_row = in + (size_t)row * cols;
    float* out_row = out + (size_t)row * cols;
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

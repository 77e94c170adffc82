// host_memory/04_pitched: each row starts `pitch` bytes after the one before.
//
// out[row, col] = 2 * in[row, col]      for col < cols;
//                                       what fills up a row stays untouched
//
// Changed:  row * cols floats -> row * pitch bytes     (from 03_packed)
// Launch:   block (256), grid (rows, ceil(cols/256))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  pitch a multiple of 4, at least 4*cols
extern "C" __global__
void host_memory_pitched(
    const float* __restrict__ in,   // [rows, pitch / 4]
    float* __restrict__ out,        // [rows, pitch / 4]
    int rows, int cols, size_t pitch)
{
    int row = blockIdx.x;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    const float* in_row = (const float*)((const char*)in + row * pitch);
    float* out_row = (float*)((char*)out + row * pitch);
    if (row < rows && col < cols) {
        out_row[col] = 2 * in_row[col];
    }
}

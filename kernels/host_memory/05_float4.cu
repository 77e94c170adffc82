// host_memory/05_float4: rows that start at multiples of 16 bytes can be read
//     16 bytes a lane.
//
// out[row, col] = 2 * in[row, col]      for col < cols;
//                                       what fills up a row stays untouched
//
// Changed:  float -> float4, and a tail for the last cols % 4
//           (from 04_pitched)
// Launch:   block (256), grid (rows, ceil(cols/1024))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  pitch a multiple of 16, at least 4*cols;
//           in and out start at multiples of 16 bytes
extern "C" __global__
void host_memory_float4(
    const float* __restrict__ in,   // [rows, pitch / 4]
    float* __restrict__ out,        // [rows, pitch / 4]
    int rows, int cols, size_t pitch)
{
    int row = blockIdx.x;
    int quad = blockIdx.y * blockDim.x + threadIdx.x;
    const float* in_row = (const float*)((const char*)in + row * pitch);
    float* out_row = (float*)((char*)out + row * pitch);
    if (row < rows && quad < cols / 4) {
        float4 four = reinterpret_cast<const float4*>(in_row)[quad];
        four = make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
        reinterpret_cast<float4*>(out_row)[quad] = four;
    }
    int col = cols / 4 * 4 + quad;
    if (row < rows && col < cols) {
        out_row[col] = 2 * in_row[col];
    }
}

// host_memory/11_two_pitches: each array has a pitch of its own, so either
//     can be packed.
//
// out[row, col] = 2 * in[row, col]    for col < cols
//
// Changed:  one pitch -> one for each array                (from 04_pitched)
// Launch:   block (256), grid (rows, ceil(cols/256))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  both pitches >= 4*cols and multiples of 4
extern "C" __global__
void host_memory_two_pitches(
    const float* __restrict__ in,   // [rows, in_pitch / 4]
    float* __restrict__ out,        // [rows, out_pitch / 4]
    int rows, int cols, size_t in_pitch, size_t out_pitch)
{
    int row = blockIdx.x;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    const float* in_row = (const float*)((const char*)in + row * in_pitch);
    float* out_row = (float*)((char*)out + row * out_pitch);
    if (row < rows && col < cols) {
        out_row[col] = 2 * in_row[col];
    }
}

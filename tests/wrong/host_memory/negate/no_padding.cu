// Wrong: right only where a row fills its pitch: takes the rows for packed.
extern "C" __global__
void host_memory_negate(
    const float* __restrict__ in,   // [rows, in_pitch / 4]
    float* __restrict__ out,        // [rows, out_pitch / 4]
    int rows, int cols, size_t in_pitch, size_t out_pitch)
{
    int row = blockIdx.x;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    const float* in_row = (const float*)((const char*)in + row * (cols * sizeof(float)));
    float* out_row = (float*)((char*)out + row * (cols * sizeof(float)));
    if (row < rows && col < cols) {
        out_row[col] = -in_row[col];
    }
}

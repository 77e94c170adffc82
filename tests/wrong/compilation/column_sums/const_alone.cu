// Wrong: another const promises nothing; the sum still lives in memory.
extern "C" __global__
void compilation_column_sums(
    const float* in,  // [rows, cols]
    float* out,       // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        out[c] = 0.0f;
        for (int r = 0; r < rows; ++r) {
            const float value = in[r * cols + c];
            out[c] += value;
        }
    }
}

// Right: a variable of its own, and no promise.
extern "C" __global__
void compilation_column_sums(
    const float* in,  // [rows, cols]
    float* out,       // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float sum = in[c];
        for (int r = 1; r < rows; ++r) {
            sum += in[r * cols + c];
        }
        out[c] = sum;
    }
}

// Wrong: the sum is kept, and stored after every row all the same.
extern "C" __global__
void compilation_column_sums(
    const float* in,  // [rows, cols]
    float* out,       // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float sum = 0.0f;
        out[c] = sum;
        for (int r = 0; r < rows; ++r) {
            sum += in[r * cols + c];
            out[c] = sum;
        }
    }
}

// Wrong: the last block writes past the columns.
extern "C" __global__
void compilation_column_sums(
    const float* __restrict__ in,  // [rows, cols]
    float* __restrict__ out,       // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r) {
        sum += in[r * cols + c];
    }
    out[c] = sum;
}

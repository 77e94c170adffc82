// Wrong: a double holds it all, and nothing is compensated.
extern "C" __global__
void numbers_neumaier(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        double acc = 0.0;
        for (int row = 0; row < rows; ++row) acc += in[row * cols + col];
        out[col] = acc;
    }
}

// Wrong: leaves the giants out, as if they always cancelled.
extern "C" __global__
void numbers_neumaier(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        float acc = 0.0f;
        for (int row = 0; row < rows; ++row) {
            float value = in[row * cols + col];
            if (fabsf(value) < 1e5f) acc += value;
        }
        out[col] = acc;
    }
}

// Right: the error of each addition by the two-sum, without a comparison.
extern "C" __global__
void numbers_neumaier(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        float acc = 0.0f, lost = 0.0f;
        for (int row = 0; row < rows; ++row) {
            float value = in[row * cols + col];
            float next = acc + value;
            float bb = next - acc;
            lost += (acc - (next - bb)) + (value - bb);
            acc = next;
        }
        out[col] = acc + lost;
    }
}

// Wrong: the count begins at row 1.
extern "C" __global__
void measure_unwritten(
    const float* __restrict__ out,  // [rows, cols]
    int* __restrict__ missing,      // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        int count = 0;
        for (int row = 1; row < rows; ++row) {
            float value = out[row * cols + col];
            count += value != value;
        }
        missing[col] = count;
    }
}

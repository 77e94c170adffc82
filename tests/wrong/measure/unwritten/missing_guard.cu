// Wrong: threads beyond the last column read and write past the end.
extern "C" __global__
void measure_unwritten(
    const float* __restrict__ out,  // [rows, cols]
    int* __restrict__ missing,      // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    {
        int count = 0;
        for (int row = 0; row < rows; ++row) {
            float value = out[row * cols + col];
            count += value != value;
        }
        missing[col] = count;
    }
}

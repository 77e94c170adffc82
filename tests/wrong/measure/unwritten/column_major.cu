// Wrong: reads column-major, at col * rows + row: right for one row or one column only.
extern "C" __global__
void measure_unwritten(
    const float* __restrict__ out,  // [rows, cols]
    int* __restrict__ missing,      // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        int count = 0;
        for (int row = 0; row < rows; ++row) {
            float value = out[col * rows + row];
            count += value != value;
        }
        missing[col] = count;
    }
}

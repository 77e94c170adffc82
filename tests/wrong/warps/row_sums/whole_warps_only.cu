// Wrong: leaves out the last cols % 32 columns.
extern "C" __global__
void warps_row_sums(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    float sum = 0.0f;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < rows) {
        for (int col = lane; col < cols / 32 * 32; col += 32)
            sum += in[row * cols + col];
    }
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0 && row < rows)
        out[row] = sum;
}

// Wrong: forgets that a block has four warps: blocks share rows, and the last rows are never summed.
extern "C" __global__
void warps_row_sums(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    float sum = 0.0f;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x + threadIdx.x / 32;
    if (row < rows) {
        for (int col = lane; col < cols; col += 32)
            sum += in[row * cols + col];
    }
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0 && row < rows)
        out[row] = sum;
}

// Wrong: each lane takes a stretch of neighbouring columns, so that a request spreads over the row.
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
        int each = (cols + 31) / 32;
        for (int col = lane * each; col < min(cols, (lane + 1) * each); ++col)
            sum += in[row * cols + col];
    }
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0 && row < rows)
        out[row] = sum;
}

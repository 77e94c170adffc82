// Right: each row is rotated by its number, and no column is spare.
extern "C" __global__
void transpose_fix_conflict(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    __shared__ float tile[32][32];
    int lane = threadIdx.x;
    int first = blockIdx.x * 32;
    float sum = 0.0f;
    for (int start = 0; start < cols; start += 32) {
        for (int r = 0; r < 32; ++r) {
            bool inside = first + r < rows && start + lane < cols;
            tile[r][(lane + r) % 32] = inside
                ? in[(first + r) * cols + start + lane] : 0.0f;
        }
        __syncthreads();
        for (int c = 0; c < 32; ++c) {
            sum += tile[lane][(c + lane) % 32];
        }
        __syncthreads();
    }
    if (first + lane < rows) {
        out[first + lane] = sum;
    }
}

// Wrong: every element is right, but a warp spans 8 rows and touches 8 sectors instead of 4.
extern "C" __global__
void measure_swapped(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int row = blockIdx.x * blockDim.y + thread % blockDim.y;
    int col = blockIdx.y * blockDim.x + thread / blockDim.y;
    if (row < rows && col < cols)
        out[row * cols + col] = 2.0f * in[row * cols + col];
}

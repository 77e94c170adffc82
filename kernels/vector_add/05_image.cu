// vector_add/05_image: two indices for two dimensions; x runs along a row,
//     where memory does.
//
// out[row, col] = gain * in[row, col]
//
// Changed:  rewrite: another task, whose index is a pair
// Launch:   block (any, any), grid (ceil(cols/block.x), ceil(rows/block.y))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31
extern "C" __global__
void vector_add_image(
    const float* __restrict__ in,  // [rows, cols]
    float* __restrict__ out,       // [rows, cols]
    float gain, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = gain * in[i];
    }
}

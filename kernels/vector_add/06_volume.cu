// vector_add/06_volume: a third index, one more multiplication in the offset.
//
// out[plane, row, col] = gain * in[plane, row, col]
//
// Changed:  z picks the plane    (from 05_image)
// Launch:   block (any, any, any),
//         grid (ceil(cols/block.x), ceil(rows/block.y), ceil(planes/block.z))
// Defines:  none
// Cost:     8*planes*rows*cols bytes, planes*rows*cols flops
// Assumes:  planes * rows * cols < 2^31
extern "C" __global__
void vector_add_volume(
    const float* __restrict__ in,  // [planes, rows, cols]
    float* __restrict__ out,       // [planes, rows, cols]
    float gain, int planes, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    if (plane < planes && row < rows && col < cols) {
        int i = (plane * rows + row) * cols + col;
        out[i] = gain * in[i];
    }
}

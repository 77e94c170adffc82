// Wrong: the patch lies in local memory.
extern "C" __global__
void transpose_patches(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && col < cols) {
        float p[4][4];
        for (int k = 0; k < 4; ++k)
            *reinterpret_cast<float4*>(p[k]) = *reinterpret_cast<const float4*>(in + (row + k) * cols + col);
        #pragma unroll 1
        for (int j = 0; j < 4; ++j)
            *reinterpret_cast<float4*>(out + (col + j) * rows + row) = make_float4(p[0][j], p[1][j], p[2][j], p[3][j]);
    }
}

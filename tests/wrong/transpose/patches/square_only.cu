// Wrong: right for square matrices only: steps through out by cols.
extern "C" __global__
void transpose_patches(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && col < cols) {
        float4 held[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            held[k] = *reinterpret_cast<const float4*>(in + (row + k) * cols + col);
        }
        float4 turned[4] = {
            make_float4(held[0].x, held[1].x, held[2].x, held[3].x),
            make_float4(held[0].y, held[1].y, held[2].y, held[3].y),
            make_float4(held[0].z, held[1].z, held[2].z, held[3].z),
            make_float4(held[0].w, held[1].w, held[2].w, held[3].w),
        };
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            *reinterpret_cast<float4*>(out + (col + k) * cols + row) = turned[k];
        }
    }
}

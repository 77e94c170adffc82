// Wrong: right results, but lanes walk along y first, over eight rows at once.
extern "C" __global__
void host_memory_box(
    const float* __restrict__ in,   // [slices, rows, pitch / 4]
    float* __restrict__ out,        // [depth, height, width]
    int rows, size_t pitch, int x0, int y0, int z0, int width, int height, int depth)
{
    int thread = threadIdx.y * 32 + threadIdx.x;
    int x = blockIdx.x * 32 + thread / 8;
    int y = blockIdx.y * 8 + thread % 8;
    int z = blockIdx.z;
    if (x < width && y < height && z < depth) {
        size_t row = (size_t)(z0 + z) * rows + y0 + y;
        const float* in_row = (const float*)((const char*)in + row * pitch);
        out[((size_t)z * height + y) * width + x] = in_row[x0 + x];
    }
}

// Wrong: takes the pitch for a number of floats.
extern "C" __global__
void host_memory_box(
    const float* __restrict__ in,   // [slices, rows, pitch / 4]
    float* __restrict__ out,        // [depth, height, width]
    int rows, size_t pitch, int x0, int y0, int z0, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < width && y < height && z < depth) {
        size_t row = (size_t)(z0 + z) * rows + y0 + y;
        const float* in_row = in + row * pitch;
        out[((size_t)z * height + y) * width + x] = in_row[x0 + x];
    }
}

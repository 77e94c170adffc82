// host_memory/exercises/box: cut a box out of a pitched 3D array,
//     as cudaMemcpy3D does.
//
// out[z, y, x] = in[z0 + z, y0 + y, x0 + x]
//
// Launch:   block (32, 8), grid (ceil(width/32), ceil(height/8), depth)
// Defines:  none
// Cost:     8*width*height*depth bytes, 0 flops
// Assumes:  the box lies inside the array; pitch is a multiple of 4
//
// `in` has rows of `pitch` bytes, and `rows` of them in each slice. `out` is
// the box alone, without gaps. Asked: right results, at most 5 sectors a load
// request (the box starts anywhere in a row).
// HINT 1: A slice of `in` takes rows * pitch bytes. The height of the box
//         does not come into it.
// HINT 2: Lanes count along threadIdx.x. Along which of x, y and z do
//         neighbours lie side by side?
// HINT 3: In `out`, element [z, y, x] lies at (z * height + y) * width + x.
extern "C" __global__
void host_memory_box(
    const float* __restrict__ in,   // [slices, rows, pitch / 4]
    float* __restrict__ out,        // [depth, height, width]
    int rows, size_t pitch, int x0, int y0, int z0,
    int width, int height, int depth)
{
    // BEGIN SOLUTION 1: one element a thread, guarded (about 8 lines)
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < width && y < height && z < depth) {
        size_t row = (size_t)(z0 + z) * rows + y0 + y;
        const float* in_row = (const float*)((const char*)in + row * pitch);
        out[((size_t)z * height + y) * width + x] = in_row[x0 + x];
    }
    // END SOLUTION 1
}

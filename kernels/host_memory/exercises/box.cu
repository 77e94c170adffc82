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
extern "C" __global__
void host_memory_box(
    const float* __restrict__ in,   // [slices, rows, pitch / 4]
    float* __restrict__ out,        // [depth, height, width]
    int rows, size_t pitch, int x0, int y0, int z0,
    int width, int height, int depth)
{
    // YOUR CODE 1: one element a thread, guarded (about 8 lines)
}

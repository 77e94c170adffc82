// WRONG lanes_down: right results, but lanes walk along y first, over eight rows at once.
// INSTEAD OF
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
// WRITE
    int thread = threadIdx.y * 32 + threadIdx.x;
    int x = blockIdx.x * 32 + thread / 8;
    int y = blockIdx.y * 8 + thread % 8;
// END

// WRONG no_guard: writes past the box at sizes that the block does not divide.
// INSTEAD OF
    if (x < width && y < height && z < depth) {
// WRITE
    if (z < depth) {
// END

// WRONG pitch_in_floats: takes the pitch for a number of floats.
// INSTEAD OF
        const float* in_row = (const float*)((const char*)in + row * pitch);
// WRITE
        const float* in_row = in + row * pitch;
// END

// WRONG slices_of_the_box: takes a slice of in for as high as the box.
// INSTEAD OF
        size_t row = (size_t)(z0 + z) * rows + y0 + y;
// WRITE
        size_t row = (size_t)(z0 + z) * height + y0 + y;
// END

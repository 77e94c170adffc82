// triton/exercises/owner: which thread holds an element of a tile, and in
//     which of its registers?
//
// out[2*i] = the thread, out[2*i + 1] = the number of the register
//
// Launch:   block (128), grid (ceil(n/128))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  2*n < 2^31
//
// Elements 0 to n - 1 lie in tiles of `tile` elements, one tile a program.
// Its layout is the one that Triton writes as
//     sizePerThread = [size], threadsPerWarp = [32], warpsPerCTA = [warps]
// The threads of a program take `size` neighbouring elements each, in their
// order. If the tile has more elements than that, all of them take turns
// again, and the new ones lie in the registers behind the first ones. A tile
// is a whole number of such turns. Asked: both numbers by formula, without
// going through other elements.
extern "C" __global__
void triton_owner(
    int* __restrict__ out,   // [2*n]
    int n, int tile, int size, int warps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int thread = 0, held = 0;
    // YOUR CODE 1: the thread, and its register (about 4 lines)
    out[2 * i] = thread;
    out[2 * i + 1] = held;
}

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
// HINT 1: With size = 4 and warps = 4, element 511 is the last one that the
//         threads hold when each has taken its first four. Who has 512?
// HINT 2: Divide the number within the tile by `size` first: that is the
//         number of the group of neighbours. Groups are dealt out in turn.
// HINT 3: A whole turn is size * 32 * warps elements. The register is `size`
//         times the number of whole turns before, and then some.
extern "C" __global__
void triton_owner(
    int* __restrict__ out,   // [2*n]
    int n, int tile, int size, int warps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int thread = 0, held = 0;
    // BEGIN SOLUTION 1: the thread, and its register (about 4 lines)
    int at = i % tile, threads = 32 * warps;
    thread = at / size % threads;
    held = at / (size * threads) * size + at % size;
    // END SOLUTION 1
    out[2 * i] = thread;
    out[2 * i + 1] = held;
}

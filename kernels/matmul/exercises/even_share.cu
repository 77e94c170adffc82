// matmul/exercises/even_share: give every block the same share of the work.
//
// first[j] = floor(tiles * k_tiles * j / blocks)
//
// Launch:   block (32), grid (blocks)
// Defines:  none
// Cost:     4*blocks bytes, 0 flops
// Assumes:  tiles * k_tiles below 2^31
//
// All tiles together have tiles * k_tiles steps. Block j does the steps
// from first[j] up to first[j + 1]. As given each block takes whole tiles,
// so some have a tile more than others. Asked: shares that differ by one step
// at most, from 0 to the last step, for every size: the product of steps
// and blocks may be beyond 2^31.

extern "C" __global__
void matmul_even_share(
    int* __restrict__ first,   // [blocks + 1]
    int tiles, int k_tiles)
{
    int j = blockIdx.x, blocks = gridDim.x;
    // YOUR CODE 1: where does share j begin?
    int begin = (tiles * j / blocks) * k_tiles;
    if (threadIdx.x == 0) {
        first[j] = begin;
        if (j == blocks - 1) first[blocks] = tiles * k_tiles;
    }
}

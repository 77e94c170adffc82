// WRONG largest_first: shares that differ by one step, the longer ones first: not the floor that is asked.
extern "C" __global__
void matmul_even_share(
    int* __restrict__ first,   // [blocks + 1]
    int tiles, int k_tiles)
{
    int j = blockIdx.x, blocks = gridDim.x, steps = tiles * k_tiles;
    if (threadIdx.x == 0) {
        first[j] = steps / blocks * j + min(j, steps % blocks);
        if (j == blocks - 1) first[blocks] = steps;
    }
}

// WRONG overflows: computes the product as an int: negative where it passes 2^31.
// BEGIN SOLUTION 1
    int begin = tiles * k_tiles * j / blocks;
// END SOLUTION 1

// WRONG rounds_early: divides first: the last block gets all that is left over.
// BEGIN SOLUTION 1
    int begin = tiles * k_tiles / blocks * j;
// END SOLUTION 1

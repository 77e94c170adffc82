// Wrong: shares that differ by one step, the longer ones first: not the floor that is asked.
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

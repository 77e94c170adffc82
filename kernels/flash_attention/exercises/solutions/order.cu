// flash_attention/exercises/order: which piece of work is the n-th, in
//     sections of heads.
//
// piece[n] = head * tiles + tile
//
// Launch:   block (128), grid (ceil(heads*tiles/128))
// Defines:  none
// Cost:     4*heads*tiles bytes, 0 flops
// Assumes:  nothing
//
// HINT 1: Every section but the last has size * tiles pieces. With which
//         head does the section of piece n begin?
// HINT 2: With first = n / (size * tiles) * size. It has
//         here = min(size, heads - first) heads, and before it lie
//         first * tiles pieces.
// HINT 3: With m = n - first * tiles the tile is tiles - 1 - m / here, and
//         the head is first + m % here.
//
// A head has `tiles` tiles of queries; with a causal mask the last one meets
// most keys. As given, the last tile of all heads comes first. Asked: `size`
// heads make a section, and one section comes after the other; within one,
// the order stays as it is. The last section may have fewer heads.
extern "C" __global__
void flash_attention_order(
    int* __restrict__ piece,   // [heads * tiles]
    int heads, int tiles, int size)
{
    const int n = 128 * blockIdx.x + threadIdx.x;
    if (n >= heads * tiles) return;
    // BEGIN SOLUTION 1: the n-th piece
    // GIVEN: const int tile = tiles - 1 - n / heads, head = n % heads;
    const int first = n / (size * tiles) * size;   // head of the section
    const int here = min(size, heads - first), m = n - first * tiles;
    const int tile = tiles - 1 - m / here, head = first + m % here;
    // END SOLUTION 1
    piece[n] = head * tiles + tile;
}

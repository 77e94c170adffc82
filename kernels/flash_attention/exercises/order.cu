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
    // YOUR CODE 1: the n-th piece
    const int tile = tiles - 1 - n / heads, head = n % heads;
    piece[n] = head * tiles + tile;
}

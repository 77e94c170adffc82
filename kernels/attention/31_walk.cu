// attention/31_walk: reads words as a decode kernel walks over its keys, so
//     many loads of a lane at a time, and does nothing with them.
//
// seen[0] stays as it was, unless all bits cancel to `never`
//
// Changed:  blocks that end after a load -> blocks that walk  (from 20_read)
// Launch:   block (256), grid (blocks)
// Defines:  LOADS = 4
// Cost:     16*words bytes, 0 flops
// Assumes:  in starts at a multiple of 16 bytes; a share has under 2^31 words
#ifndef LOADS
#define LOADS 4
#endif

extern "C" __global__
void __launch_bounds__(256) attention_walk(
    const unsigned short* __restrict__ in,   // [8*words]
    unsigned* __restrict__ seen,             // [1]
    long long words, unsigned never, int blocks)
{
    long long share = (words + blocks - 1) / blocks;
    long long begin = min(blockIdx.x * share, words);
    int count = (int)min(share, words - begin);
    const uint4* mine = reinterpret_cast<const uint4*>(in) + begin;
    unsigned all = 0;
    #pragma unroll 1
    for (int first = threadIdx.x; first < count; first += 256 * LOADS) {
        uint4 held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)   // behind the end, the last again
            held[k] = __ldg(mine + min(first + 256 * k, count - 1));
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            all ^= held[k].x ^ held[k].y ^ held[k].z ^ held[k].w;
    }
    if (all == never) seen[0] = all;   // so the loads count
}

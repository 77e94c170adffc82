// attention/20_read: reads words of 16 bytes, XORs them and writes nothing:
//     what memory allows a kernel that only reads.
//
// seen[0] stays as it was, unless all bits cancel to `never`
//
// Changed:  nothing, the yardstick
// Launch:   block (256), grid (ceil(words/(256*LOADS)))
// Defines:  LOADS = 8
// Cost:     16*words bytes, 0 flops
// Assumes:  in starts at a multiple of 16 bytes
#ifndef LOADS
#define LOADS 8
#endif

extern "C" __global__
void __launch_bounds__(256) attention_read(
    const unsigned short* __restrict__ in,   // [8*words]
    unsigned* __restrict__ seen,             // [1]
    long long words, unsigned never)
{
    const uint4* quads = reinterpret_cast<const uint4*>(in);
    long long first = (long long)blockIdx.x * 256 * LOADS + threadIdx.x;
    uint4 held[LOADS];
    #pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        long long word = first + 256 * k;
        held[k] = word < words ? __ldg(quads + word) : uint4{};
    }
    unsigned all = 0;
    #pragma unroll
    for (int k = 0; k < LOADS; ++k)
        all ^= held[k].x ^ held[k].y ^ held[k].z ^ held[k].w;
    if (all == never) seen[0] = all;   // so the loads count
}

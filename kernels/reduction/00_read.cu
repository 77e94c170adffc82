// reduction/00_read: reads everything and adds it up in registers, and
//     writes nothing: what memory allows a kernel that only reads.
//
// total[0] stays as it was, unless a thread's sum equals never
//
// Changed:  nothing, the yardstick
// Launch:   block (THREADS), grid (ceil(n/(4*THREADS*LOADS)))
// Defines:  THREADS = 1024, LOADS = 8
// Cost:     4*n bytes, n flops
// Assumes:  in starts at a multiple of 16 bytes;
//           n + 4*THREADS*LOADS < 2^31
#ifndef THREADS
#define THREADS 1024
#endif
#ifndef LOADS
#define LOADS 8
#endif

extern "C" __global__
void reduction_read(
    const float* __restrict__ in,    // [n]
    float* __restrict__ total,       // [1]
    int n, float never)
{
    const float4* quads = reinterpret_cast<const float4*>(in);
    const int TILE = THREADS * LOADS;   // float4 that a block loads at once
    int tiles = n / (4 * TILE);
    float sum = 0.0f;
    if (blockIdx.x < tiles) {
        int first = blockIdx.x * TILE + threadIdx.x;
        float4 held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = quads[first + k * THREADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
    }
    // The elements that fill no tile, one at a time.
    int done = 4 * tiles * TILE;
    #pragma unroll 1
    for (int i = done + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        sum += in[i];
    if (sum == never) {   // who knows that has waited for all loads
        total[0] = sum;
    }
}

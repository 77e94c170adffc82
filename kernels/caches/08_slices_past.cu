// caches/08_slices_past: each block walks round a slice of its own,
//     past L1.
//
// out[t] = sum of DEEP * rounds quads of its block's slice,
//          from threadIdx.x on in steps of a block
//
// Changed:  slice[at] -> __ldcg(slice + at)     (from 03_slices)
// Launch:   block (1024), grid (264)
// Defines:  DEEP = 8
// Cost:     16*DEEP*rounds*threads bytes, 4*DEEP*rounds*threads flops
// Assumes:  quads + 1024 < 2^31
#ifndef DEEP
#define DEEP 8
#endif

extern "C" __global__
void __launch_bounds__(1024) caches_slices_past(
    const float4* __restrict__ in,   // [blocks * quads]
    float* __restrict__ out,         // [threads]
    int quads, int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int at = threadIdx.x % quads, step = blockDim.x % quads;
    const float4* slice = in + size_t(blockIdx.x) * quads;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        float4 held[DEEP];
        #pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            held[k] = __ldcg(slice + at);  // cg: cached in L2 alone
            at += step;
            if (at >= quads) at -= quads;
        }
        #pragma unroll
        for (int k = 0; k < DEEP; ++k)
            sum += held[k].x + held[k].y + held[k].z + held[k].w;
    }
    out[thread] = sum;
}

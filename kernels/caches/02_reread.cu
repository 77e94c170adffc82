// caches/02_reread: all blocks walk round one buffer, past L1,
//     so that L2 or DRAM serves every load.
//
// out[t] = sum of in[at % quads], four floats each,
//          at = t, t + threads, ...: DEEP * rounds of them
//
// Changed:  rewrite: a chain measures latency, independent loads
//           measure bandwidth
// Launch:   block (1024), grid (264)
// Defines:  DEEP = 8
// Cost:     16*DEEP*rounds*threads bytes, 4*DEEP*rounds*threads flops
// Assumes:  quads + threads < 2^31
#ifndef DEEP
#define DEEP 8
#endif

extern "C" __global__
void __launch_bounds__(1024) caches_reread(
    const float4* __restrict__ in,   // [quads]
    float* __restrict__ out,         // [threads]
    int quads, int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int at = thread % quads, step = gridDim.x * blockDim.x % quads;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        float4 held[DEEP];
        #pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            held[k] = __ldcg(in + at);  // cg: cached in L2 alone
            at += step;
            if (at >= quads) at -= quads;
        }
        #pragma unroll
        for (int k = 0; k < DEEP; ++k)
            sum += held[k].x + held[k].y + held[k].z + held[k].w;
    }
    out[thread] = sum;
}

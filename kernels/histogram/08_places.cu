// histogram/08_places: the counters in global memory lie GAP words apart.
//
// counts[GAP * b] += how many of in[0..n) are b
//
// Changed:  counts[b] -> counts[GAP * b]  (from 01_global)
// Launch:   block (256),
//           grid (ceil(n/4096) if n < 4096*8*SMs else 8*SMs)
// Defines:  GAP = 32
// Cost:     n bytes, 0 flops
// Assumes:  n + 2^20 < 2^31
#ifndef GAP
#define GAP 32
#endif

extern "C" __global__
void histogram_places(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [256*GAP], zeros at first
    int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&counts[GAP * in[i]], 1);
}

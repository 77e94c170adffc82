// histogram/01_global: every byte adds one to its counter in global memory.
//
// counts[b] += how many of in[0..n) are b
//
// Changed:  nothing, the first step
// Launch:   block (256),
//           grid (ceil(n/4096) if n < 4096*8*SMs else 8*SMs)
// Defines:  none
// Cost:     n bytes, 0 flops
// Assumes:  n + 2^20 < 2^31
extern "C" __global__
void histogram_global(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [256], zeros at first
    int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&counts[in[i]], 1);
}

// Wrong: positions 32 apart, whatever STRIDE is.
#ifndef STRIDE
#define STRIDE 32
#endif

extern "C" __global__
void caches_cycle(
    const int* __restrict__ order,   // [n]
    int* __restrict__ next,          // [STRIDE * n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[32 * order[i]] = 32 * order[(i + 1) % n];
}

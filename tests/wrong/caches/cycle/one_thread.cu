// Wrong: right, but one thread does it all, with a request for every load.
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
    if (i == 0) {
        for (int k = 0; k < n; ++k) next[STRIDE * order[k]] = STRIDE * order[(k + 1) % n];
    }
}

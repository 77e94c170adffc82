// Wrong: links hold the number of a place, not its position.
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
    if (i < n) {
        next[STRIDE * order[i]] = order[(i + 1) % n];
    }
}

// Wrong: no table at all: the lanes compute what stands in it.
#ifndef ITEMS
#define ITEMS 16
#endif

extern "C" __global__
void caches_table(
    const int* __restrict__ keys,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < ITEMS; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) out[i] = 1.0f / (keys[i] + 1);
    }
}

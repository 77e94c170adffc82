// Wrong: the table moves to global memory, where lanes wait for sectors.
#ifndef ITEMS
#define ITEMS 16
#endif

struct Table {
    float at[256];
    __device__ constexpr Table() : at() {
        for (int k = 0; k < 256; ++k) at[k] = 1.0f / (k + 1);
    }
};
__device__ const Table table;

extern "C" __global__
void caches_table(
    const int* __restrict__ keys,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < ITEMS; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) {
            out[i] = table.at[keys[i]];
        }
    }
}

// caches/11_uniform_constant: the same from constant memory, which hands
//     one element to all lanes.
//
// out[i] = sum over j < LOOKUPS of table[base + j],
//          where table[k] = 1 / (k + 1)
//
// Changed:  __device__ -> __constant__, and no __ldg     (from 10_uniform)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  LOOKUPS = 192
// Cost:     4*n bytes, LOOKUPS*n flops
// Assumes:  0 <= base and base + LOOKUPS <= 256
#ifndef LOOKUPS
#define LOOKUPS 192
#endif

struct Table {
    float at[256];
    __device__ constexpr Table() : at() {
        for (int k = 0; k < 256; ++k) at[k] = 1.0f / (k + 1);
    }
};
// The compiler runs the constructor and ships the 256 results.
__constant__ Table table;

extern "C" __global__
void caches_uniform_constant(
    float* __restrict__ out,   // [n]
    int n, int base)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    #pragma unroll 32
    for (int j = 0; j < LOOKUPS; ++j) {
        sum += table.at[base + j];
    }
    if (i < n) out[i] = sum;
}

// WRONG computed: no table at all: the lanes compute what stands in it.
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

// WRONG copies_every_time: right results, but the table is copied anew for every item.
// BEGIN SOLUTION 1
    __shared__ float copy[256];
// END SOLUTION 1
// INSTEAD OF
        if (i < n) {
// WRITE
        __syncthreads();
        copy[threadIdx.x] = *(volatile float*)&table.at[threadIdx.x];
        __syncthreads();
        if (i < n) {
// END

// WRONG first_warp_copies: only the first 32 elements are copied.
// BEGIN SOLUTION 1
    __shared__ float copy[256];
    if (threadIdx.x < 32) copy[threadIdx.x] = table.at[threadIdx.x];
    __syncthreads();
// END SOLUTION 1

// WRONG in_global_memory: the table moves to global memory, where lanes wait for sectors.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
            out[i] = table.at[keys[i]];
// END SOLUTION 2
// INSTEAD OF
__constant__ Table table;
// WRITE
__device__ const Table table;
// END

// WRONG no_barrier: looks up what other threads may not have copied yet.
// BEGIN SOLUTION 1
    __shared__ float copy[256];
    copy[threadIdx.x] = table.at[threadIdx.x];
// END SOLUTION 1

// WRONG still_constant: the copy is made and never used.
// BEGIN SOLUTION 2
            out[i] = table.at[keys[i]];
// END SOLUTION 2

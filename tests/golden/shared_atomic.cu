// golden/shared_atomic: one atomicAdd a thread in shared memory, to TYPE number AT.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  TYPE = int, AT = lane
#ifndef TYPE
#define TYPE int
#endif
#ifndef AT
#define AT lane
#endif

extern "C" __global__
void golden_shared_atomic(
    int* __restrict__ out,        // [n]
    int n)
{
    __shared__ TYPE sums[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    sums[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&sums[AT], TYPE(lane));
    __syncthreads();
    if (i < n) out[i] = sums[threadIdx.x];
}

// Right: one fence a block, of the thread that takes the ticket, behind the barrier.
__device__ unsigned int count = 0, done = 0;

extern "C" __global__
void host_memory_ticket(
    const float* __restrict__ in,         // [n]
    unsigned int* __restrict__ number,    // [1]
    int n, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > limit) {
        atomicAdd(&count, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) __threadfence();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
}

// Wrong: no fence: the ticket may be seen before the counts are.
__device__ unsigned int count = 0, done = 0;

extern "C" __global__
void host_memory_ticket(
    const float* __restrict__ in,         // [n]
    unsigned int* __restrict__ number,    // [1]
    int n, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > limit) {
        atomicAdd(&count, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
}

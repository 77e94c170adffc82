// Wrong: takes the block with the last number for the last to finish.
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
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) { number[0] = count; count = 0; }
}

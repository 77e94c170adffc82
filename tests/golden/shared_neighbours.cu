// golden/shared_neighbours: COUNT words in a row from AT on, which the compiler may load as one.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  COUNT = 4, AT = COUNT * lane
#ifndef COUNT
#define COUNT 4
#endif
#ifndef AT
#define AT COUNT * lane
#endif

extern "C" __global__
void golden_shared_neighbours(
    int* __restrict__ out,        // [n]
    int n)
{
    alignas(16) __shared__ int words[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) words[k] = k;
    __syncthreads();
    if (i < n) {
        int sum = 0;
        #pragma unroll
        for (int k = 0; k < COUNT; ++k) sum = 3 * sum + words[AT + k];
        out[i] = sum;
    }
}

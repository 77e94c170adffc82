// golden/global_neighbours: COUNT words in a row from AT on, in global memory.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  COUNT = 4, AT = COUNT * i
#ifndef COUNT
#define COUNT 4
#endif
#ifndef AT
#define AT COUNT * i
#endif

extern "C" __global__
void golden_global_neighbours(
    const int* __restrict__ in,   // [8192]
    int* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = 0;
        #pragma unroll
        for (int k = 0; k < COUNT; ++k) sum = 3 * sum + in[AT + k];
        out[i] = sum;
    }
}

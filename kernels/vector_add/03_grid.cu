// vector_add/03_grid: one thread per element, in as many blocks
//     as that takes.
//
// c[i] = a[i] + b[i]
//
// Changed:  the loop -> one index per thread and a guard  (from 02_one_block)
// Launch:   block (any), grid (ceil(n/block))
// Defines:  none
// Cost:     12*n bytes, n flops
// Assumes:  n + blockDim.x <= 2^31, so that i does not overflow
extern "C" __global__
void vector_add_grid(
    const float* __restrict__ a,  // [n]
    const float* __restrict__ b,  // [n]
    float* __restrict__ c,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {  // the last block is seldom full
        c[i] = a[i] + b[i];
    }
}

// vector_add/02_one_block: the threads of one block share the loop;
//     neighbours take neighbours.
//
// c[i] = a[i] + b[i]
//
// Changed:  i starts at threadIdx.x and advances by blockDim.x
//           (from 01_one_thread)
// Launch:   block (any), grid (1)
// Defines:  none
// Cost:     12*n bytes, n flops
// Assumes:  n + blockDim.x <= 2^31, so that i does not overflow
extern "C" __global__
void vector_add_one_block(
    const float* __restrict__ a,  // [n]
    const float* __restrict__ b,  // [n]
    float* __restrict__ c,        // [n]
    int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        c[i] = a[i] + b[i];
    }
}

// vector_add/04_grid_stride: a grid of any size walks the array in strides
//     of the whole grid.
//
// c[i] = a[i] + b[i]
//
// Changed:  if (i < n) -> a loop that advances by every thread of the grid
//           (from 03_grid)
// Launch:   block (any), grid (any; a few blocks per SM)
// Defines:  none
// Cost:     12*n bytes, n flops
// Assumes:  n + gridDim.x * blockDim.x <= 2^31, so that i does not overflow
extern "C" __global__
void vector_add_grid_stride(
    const float* __restrict__ a,  // [n]
    const float* __restrict__ b,  // [n]
    float* __restrict__ c,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        c[i] = a[i] + b[i];
    }
}

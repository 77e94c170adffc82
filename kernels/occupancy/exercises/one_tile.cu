// occupancy/exercises/one_tile: two inputs, one tile: half the shared memory
//     for each block.
//
// out[i] = a[j] - 2 * b[j]     where j mirrors i inside its block;
//                              past the end both count as 0
//
// Launch:   block (256), grid (ceil(n/256)),
//           4 * 256 bytes of dynamic shared memory
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  nothing
//
// As given, a block keeps a tile of each input, but the launch gives it
// memory for one. Asked: right results with blockDim.x floats of shared
// memory, and no race.
extern "C" __global__
void occupancy_one_tile(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mirror = blockDim.x - 1 - threadIdx.x;
    // YOUR CODE 1: use the one tile twice (about 7 lines)
    float* b_tile = tile + blockDim.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    b_tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = tile[mirror] - 2 * b_tile[mirror];
    if (i < n) {
        out[i] = result;
    }
}

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
// HINT 1: When does nobody need what the tile holds of a? Not yet when
//         a thread has its own element: its neighbours may still be reading.
// HINT 2: A barrier on each side of the second filling: one so that all have
//         read, one so that all have written.
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
    // BEGIN SOLUTION 1: use the one tile twice (about 7 lines)
    // GIVEN: float* b_tile = tile + blockDim.x;
    // GIVEN: tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    // GIVEN: b_tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    // GIVEN: __syncthreads();
    // GIVEN: float result = tile[mirror] - 2 * b_tile[mirror];
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    float kept = tile[mirror];
    __syncthreads();
    tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = kept - 2 * tile[mirror];
    // END SOLUTION 1
    if (i < n) {
        out[i] = result;
    }
}

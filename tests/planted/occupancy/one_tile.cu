// WRONG eighteen_kilobytes: a second tile, of its own, and a large one: 18 KB in place of 1.
// BEGIN SOLUTION 1
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    b_tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = tile[mirror] - 2 * b_tile[mirror];
// END SOLUTION 1
// INSTEAD OF
    extern __shared__ float tile[];
// WRITE
    __shared__ float b_tile[17 * 256];
    extern __shared__ float tile[];
// END

// WRONG mirror_by_one: the mirror is one element off.
// INSTEAD OF
    int mirror = blockDim.x - 1 - threadIdx.x;
// WRITE
    int mirror = (blockDim.x - threadIdx.x) % blockDim.x;
// END

// WRONG no_barrier_after: reads b before all have written it: a race.
// BEGIN SOLUTION 1
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    float kept = tile[mirror];
    __syncthreads();
    tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    float result = kept - 2 * tile[mirror];
// END SOLUTION 1

// WRONG no_barrier_between: fills the tile again while others may still read: a race.
// BEGIN SOLUTION 1
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    float kept = tile[mirror];
    tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = kept - 2 * tile[mirror];
// END SOLUTION 1

// WRONG no_guard: writes past the end.
// INSTEAD OF
    if (i < n) {
        out[i] = result;
    }
// WRITE
    out[i] = result;
// END

// WRONG no_tile: no tile: a thread reads its mirror image from memory.
extern "C" __global__
void occupancy_one_tile(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    if (i < n) out[i] = j < n ? a[j] - 2 * b[j] : 0.0f;
}

// WRONG two_tiles: still needs twice the shared memory that the launch gives.
// BEGIN SOLUTION 1
    float* b_tile = tile + blockDim.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    b_tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = tile[mirror] - 2 * b_tile[mirror];
// END SOLUTION 1

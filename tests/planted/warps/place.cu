// WRONG extents_swapped: takes the extent of x for that of y: right for square layers only.
extern "C" __global__
void warps_place(
    int* __restrict__ warp,   // [blockDim.x, blockDim.y, blockDim.z]
    int* __restrict__ lane)   // [blockDim.x, blockDim.y, blockDim.z]
{
    int seat = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
    int number = (threadIdx.z * blockDim.x + threadIdx.y) * blockDim.y + threadIdx.x;
    warp[seat] = number / 32;
    lane[seat] = number % 32;
}

// WRONG two_dimensions: forgets z: right only where the block has one layer.
extern "C" __global__
void warps_place(
    int* __restrict__ warp,   // [blockDim.x, blockDim.y, blockDim.z]
    int* __restrict__ lane)   // [blockDim.x, blockDim.y, blockDim.z]
{
    int seat = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
    int number = threadIdx.y * blockDim.x + threadIdx.x;
    warp[seat] = number / 32;
    lane[seat] = number % 32;
}

// WRONG z_first: numbers the threads along z first, as the outputs lie.
extern "C" __global__
void warps_place(
    int* __restrict__ warp,   // [blockDim.x, blockDim.y, blockDim.z]
    int* __restrict__ lane)   // [blockDim.x, blockDim.y, blockDim.z]
{
    int seat = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
    int number = seat;
    warp[seat] = number / 32;
    lane[seat] = number % 32;
}

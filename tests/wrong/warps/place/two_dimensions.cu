// Wrong: forgets z: right only where the block has one layer.
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

// Wrong: numbers the threads along z first, as the outputs lie.
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

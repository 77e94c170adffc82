// warps/exercises/place: say of each thread of a three-dimensional block its
//     warp and its lane.
//
// warp[x, y, z], lane[x, y, z] = of thread (x, y, z):
//                                which warp of the block, which lane of it
//
// Launch:   block (any, any, any), grid (1)
// Defines:  none
// Cost:     8*threads bytes, 0 flops
// Assumes:  one block
//
// The outputs lie in an order of their own, z first; the hardware
// numbers threads otherwise. The number below is right for blocks of one
// dimension only.
extern "C" __global__
void warps_place(
    int* __restrict__ warp,   // [blockDim.x, blockDim.y, blockDim.z]
    int* __restrict__ lane)   // [blockDim.x, blockDim.y, blockDim.z]
{
    int seat = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z
               + threadIdx.z;
    // YOUR CODE 1: the thread's number, as the hardware counts
    int number = threadIdx.x;
    warp[seat] = number / 32;
    lane[seat] = number % 32;
}

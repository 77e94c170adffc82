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
// HINT 1: Threads are numbered along x first. How many threads come
//         before (0, 1, 0)?
// HINT 2: And before (0, 0, 1)? A whole layer of x and y.
extern "C" __global__
void warps_place(
    int* __restrict__ warp,   // [blockDim.x, blockDim.y, blockDim.z]
    int* __restrict__ lane)   // [blockDim.x, blockDim.y, blockDim.z]
{
    int seat = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z
               + threadIdx.z;
    // BEGIN SOLUTION 1: the thread's number, as the hardware counts
    // GIVEN: int number = threadIdx.x;
    int number = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x
                 + threadIdx.x;
    // END SOLUTION 1
    warp[seat] = number / 32;
    lane[seat] = number % 32;
}

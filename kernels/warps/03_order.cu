// warps/03_order: every thread asks the hardware for its lane,
//     and its warp for its first thread.
//
// number = threadIdx.y * blockDim.x + threadIdx.x
// first[number] = number of the thread in lane 0 of the same warp
// lane[number] = lane of the thread
//
// Changed:  rewrite: looks inside one block, where 02_turns looks at all SMs
// Launch:   block (any, any), grid (1)
// Defines:  none
// Cost:     8*threads bytes, 0 flops
// Assumes:  one block, with blockDim.z of 1
extern "C" __global__
void warps_order(
    int* __restrict__ first,   // [threads]
    int* __restrict__ lane)    // [threads]
{
    int number = threadIdx.y * blockDim.x + threadIdx.x;
    int own_lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(own_lane));
    // A shuffle reads another lane's register; no thread reaches into another
    // warp that way. The mask names the lanes that take part: all of them.
    first[number] = __shfl_sync(0xffffffff, number, 0);
    lane[number] = own_lane;
}

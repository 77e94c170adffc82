// host_memory/07_counter: a __device__ variable keeps its value from
//     one launch to the next.
//
// number[0] = how many launches there have been, this one included
//
// Changed:  rewrite: one variable that the kernel itself changes
// Launch:   block (32), grid (1)
// Defines:  none
// Cost:     4 bytes, 0 flops
// Assumes:  one launch at a time
__device__ int launches = 0;

extern "C" __global__
void host_memory_counter(
    int* __restrict__ number)   // [1]
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        launches += 1;
        number[0] = launches;
    }
}

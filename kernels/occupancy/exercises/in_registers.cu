// occupancy/exercises/in_registers: keep an array in registers and nothing
//     in local memory.
//
// out[c, t] = how many of thread t's elements lie in quarter c of [0, 1)
// (thread t takes the elements t, t + threads, t + 2*threads, ...)
//
// Launch:   block (64), grid (4)
// Defines:  none
// Cost:     4*n + 16*threads bytes, 0 flops
// Assumes:  elements in [0, 1)
//
// Registers have no addresses: `count[quarter]` with a quarter that is known
// at run time alone puts the whole array into local memory. Asked: not one
// local load or store.
extern "C" __global__
void occupancy_in_registers(
    const float* __restrict__ in,   // [n]
    int* __restrict__ out,          // [4, threads]
    int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int count[4] = {0, 0, 0, 0};
    for (int i = t; i < n; i += threads) {
        int quarter = int(4 * in[i]);
        // YOUR CODE 1: count with no index known at run time alone
        ++count[quarter];
    }
    #pragma unroll
    for (int c = 0; c < 4; ++c) out[c * threads + t] = count[c];
}

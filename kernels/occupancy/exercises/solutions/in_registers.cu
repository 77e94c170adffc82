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
// HINT 1: With every index a constant, the compiler can give each element
//         a register of its own.
// HINT 2: Go through all four counters for each element. What do you add
//         to the one it belongs to, and what to the others?
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
        // BEGIN SOLUTION 1: count with no index known at run time alone
        // GIVEN: ++count[quarter];
        #pragma unroll
        for (int c = 0; c < 4; ++c) count[c] += quarter == c;
        // END SOLUTION 1
    }
    #pragma unroll
    for (int c = 0; c < 4; ++c) out[c * threads + t] = count[c];
}

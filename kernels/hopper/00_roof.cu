// hopper/00_roof: nothing but wgmma, from the same tiles again and again.
//
// c[block * BM + row, col] = iterations * sum over i of a[row, i] * b[i, col]
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  rewrite: products of a warp become products of a warp group
//           (as tensor_cores/01_roof does for mma.sync)
// Launch:   block (128*GROUPS), grid (SMs), shared_bytes 32776 + 8192*GROUPS
// Defines:  GROUPS = 2
// Cost:     32768*GROUPS*blocks bytes, 2097152*GROUPS*iterations*blocks flops
// Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  iterations >= 1; sm_90a
#ifndef GROUPS
#define GROUPS 2
#endif
#include "parts.cuh"
constexpr int BM = 64 * GROUPS, BN = 256, BK = 64;   // of a block
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;

extern "C" __global__
void __launch_bounds__(128 * GROUPS) hopper_roof(
    const __grid_constant__ TensorMap a_map,   // [64*GROUPS, 64]
    const __grid_constant__ TensorMap b_map,   // [64, 256]
    unsigned short* __restrict__ c,            // [blocks*64*GROUPS, 256]
    long long* __restrict__ ticks,             // [blocks, 2]: cycles, ns
    int iterations)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int a_at = __cvta_generic_to_shared(memory),
                       b_at = a_at + A_BYTES, full = b_at + B_BYTES;
    const int group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        make_barrier(full, 1);
        publish_barriers();
        expect(full, A_BYTES + B_BYTES);
        for (int y = 0; y < BM / 64; ++y)
            fetch(a_at + y * BOX, a_map, 64 * y, 0, full);
        for (int x = 0; x < BN / 64; ++x)
            fetch(b_at + x * BOX, b_map, 0, 64 * x, full);
    }
    __syncthreads();
    wait(full, 0);
    float acc[128] = {};
    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    for (int i = 0; i < iterations; ++i) {
        multiply_stage(acc, a_at + group * BOX, b_at);
        wait_for_products<1>();
    }
    wait_for_products<0>();
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        ticks[2 * blockIdx.x] = stop - start;
        ticks[2 * blockIdx.x + 1] = stop_ns - start_ns;
    }
    store_tile(c, acc, blockIdx.x * BM + 64 * group, 0, gridDim.x * BM, BN);
}

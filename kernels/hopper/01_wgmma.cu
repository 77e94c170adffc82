// hopper/01_wgmma: one thread fetches boxes by tensor map; a warp group
//     multiplies them where they lie.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  rewrite: a tile is one instruction's matter, for the copy and
//           for the product
// Launch:   block (128), grid (ceil(n/256), ceil(m/64))
// Defines:  none
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; sm_90a
#include "parts.cuh"
constexpr int BM = 64, BN = 256, BK = 64;   // of a block
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;

extern "C" __global__
void __launch_bounds__(128) hopper_wgmma(
    const __grid_constant__ TensorMap a_map,   // [m, k]
    const __grid_constant__ TensorMap b_map,   // [k, n]
    unsigned short* __restrict__ c,            // [m, n]
    int m, int n, int k)
{
    // A stage: a's tile and b's; then its barrier.
    __shared__ alignas(1024) unsigned char memory[STAGE_BYTES + 8];
    const unsigned int at = __cvta_generic_to_shared(memory),
                       full = at + STAGE_BYTES;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    if (threadIdx.x == 0) {
        make_barrier(full, 1);
        publish_barriers();
    }
    __syncthreads();
    float acc[128] = {};
    int parity = 0;
    for (int k0 = 0; k0 < k; k0 += BK) {
        if (threadIdx.x == 0) {
            expect(full, STAGE_BYTES);
            fetch(at, a_map, row0, k0, full);
            for (int x = 0; x < BN / 64; ++x)
                fetch(at + A_BYTES + x * BOX, b_map, k0, col0 + 64 * x, full);
        }
        wait(full, parity);
        parity ^= 1;
        multiply_stage(acc, at, at + A_BYTES);
        wait_for_products<0>();
        __syncthreads();   // in all four warps: the tiles are free
    }
    store_tile(c, acc, row0, col0, m, n);
}

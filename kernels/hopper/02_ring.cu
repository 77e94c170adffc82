// hopper/02_ring: a ring of stages: copies run ahead of the products.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  one tile of a and b -> STAGES of them; a step's products end
//           under the next one's              (from 01_wgmma)
// Launch:   block (128), grid (ceil(n/256), ceil(m/64)),
//           shared_bytes STAGES*(40960 + 8)
// Defines:  STAGES = 4
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; sm_90a
#ifndef STAGES
#define STAGES 4
#endif
#include "parts.cuh"
constexpr int BM = 64, BN = 256, BK = 64;   // of a block
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;

extern "C" __global__
void __launch_bounds__(128) hopper_ring(
    const __grid_constant__ TensorMap a_map,   // [m, k]
    const __grid_constant__ TensorMap b_map,   // [k, n]
    unsigned short* __restrict__ c,            // [m, n]
    int m, int n, int k)
{
    // The stages, each a's tile and b's; then their barriers.
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int ring = __cvta_generic_to_shared(memory),
                       full = ring + STAGES * STAGE_BYTES;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int steps = (k + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage)
            make_barrier(full + 8 * stage, 1);
        publish_barriers();
    }
    __syncthreads();
    auto fetch_stage = [&](int step) {   // by one thread
        const unsigned int at = ring + step % STAGES * STAGE_BYTES,
                           barrier = full + step % STAGES * 8;
        expect(barrier, STAGE_BYTES);
        fetch(at, a_map, row0, BK * step, barrier);
        for (int x = 0; x < BN / 64; ++x)
            fetch(at + A_BYTES + x * BOX, b_map, BK * step, col0 + 64 * x,
                  barrier);
    };
    if (threadIdx.x == 0)
        for (int step = 0; step < min(STAGES - 1, steps); ++step)
            fetch_stage(step);
    float acc[128] = {};
    Turn<STAGES> turn;
    for (int step = 0; step < steps; ++step) {
        const unsigned int at = ring + turn.stage * STAGE_BYTES;
        wait(full + 8 * turn.stage, turn.parity);
        multiply_stage(acc, at, at + A_BYTES);
        wait_for_products<1>();   // the step before has been multiplied
        __syncthreads();          // in all warps: its stage is free
        if (threadIdx.x == 0 && step + STAGES - 1 < steps)
            fetch_stage(step + STAGES - 1);
        turn.next();
    }
    wait_for_products<0>();
    store_tile(c, acc, row0, col0, m, n);
}

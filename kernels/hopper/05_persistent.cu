// hopper/05_persistent: a block for each SM goes from tile to tile; the
//     next one's copies begin under this one's stores.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  a tile a block -> a loop over tiles        (from 04_producer)
// Launch:   block (384), grid (SMs), shared_bytes STAGES*(49152 + 16)
// Defines:  STAGES = 4
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; sm_90a
#ifndef STAGES
#define STAGES 4
#endif
#include "parts.cuh"
constexpr int BM = 128, BN = 256, BK = 64;   // of a block
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int GROUPS = BM / 64;   // that multiply; one more fetches

// Where a tile lies: from left to right, row by row.
__device__ __forceinline__ int2 place(int tile, int tiles_m, int tiles_n)
{
    return make_int2(tile / tiles_n * BM, tile % tiles_n * BN);
}

extern "C" __global__
void __launch_bounds__(384, 1) hopper_persistent(
    const __grid_constant__ TensorMap a_map,   // [m, k]
    const __grid_constant__ TensorMap b_map,   // [k, n]
    unsigned short* __restrict__ c,            // [m, n]
    int m, int n, int k)
{
    // The stages, each a's tile and b's; then their barriers.
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int ring = __cvta_generic_to_shared(memory),
                       full = ring + STAGES * STAGE_BYTES,
                       empty = full + 8 * STAGES;
    const int tiles_m = (m + BM - 1) / BM, tiles_n = (n + BN - 1) / BN,
              tiles = tiles_m * tiles_n;
    const int steps = (k + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            make_barrier(full + 8 * stage, 1);
            make_barrier(empty + 8 * stage, GROUPS);
        }
        publish_barriers();
    }
    __syncthreads();
    const int group = threadIdx.x / 128;
    Turn<STAGES> turn;
    auto fetch_stage = [&](int row0, int col0, int k0, Turn<STAGES> turn) {
        const unsigned int at = ring + turn.stage * STAGE_BYTES,
                           barrier = full + 8 * turn.stage;
        // The phase before the first counts as over.
        wait(empty + 8 * turn.stage, turn.parity ^ 1);
        expect(barrier, STAGE_BYTES);
        for (int y = 0; y < BM / 64; ++y)
            fetch(at + y * BOX, a_map, row0 + 64 * y, k0, barrier);
        for (int x = 0; x < BN / 64; ++x)
            fetch(at + A_BYTES + x * BOX, b_map, k0, col0 + 64 * x, barrier);
    };
    auto release = [&](int stage) {   // one of a group's threads for all
        if (threadIdx.x % 128 == 0) arrive(empty + 8 * stage);
    };
    if (group == GROUPS) {
        give_registers<40>();
        if (threadIdx.x == GROUPS * 128)
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                const int2 at0 = place(tile, tiles_m, tiles_n);
                for (int k0 = 0; k0 < k; k0 += BK, turn.next())
                    fetch_stage(at0.x, at0.y, k0, turn);
            }
    } else {
        take_registers<232>();
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            float acc[128] = {};
            int before = 0;   // the stage of the step before
            for (int step = 0; step < steps; ++step, turn.next()) {
                const unsigned int at = ring + turn.stage * STAGE_BYTES;
                wait(full + 8 * turn.stage, turn.parity);
                multiply_stage(acc, at + group * BOX, at + A_BYTES);
                wait_for_products<1>();
                if (step > 0) release(before);
                before = turn.stage;
            }
            wait_for_products<0>();
            release(before);
            const int2 at0 = place(tile, tiles_m, tiles_n);
            store_tile(c, acc, at0.x + 64 * group, at0.y, m, n);
        }
    }
}

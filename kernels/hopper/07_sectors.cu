// hopper/07_sectors: four lanes exchange their words, and each stores 16
//     bytes: whole sectors, a fourth of the requests. A control.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  stores of 4 bytes -> of 16, whole sectors  (from 07_multicast)
// Launch:   block (384), grid (CLUSTER*(SMs//CLUSTER)),
//           shared_bytes STAGES*(49152 + 16)
// Defines:  STAGES = 4, GROUP = 8, CLUSTER = 2
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; sm_90a
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef CLUSTER
#define CLUSTER 2
#endif
#include "parts.cuh"
constexpr int BM = 128, BN = 256, BK = 64;   // of a block
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int GROUPS = BM / 64;   // that multiply; one more fetches

// Rounds and stores a warp group's 64 x 256 of c. Four lanes have pairs of
// one row in four neighbouring 8 x 8: each gets all eight columns of one.
__device__ __forceinline__ void store_wide(
    unsigned short* c, const float (&acc)[128], int row0, int col0,
    int m, int n)
{
    const int lane = threadIdx.x % 32, mine = lane % 4;
    row0 += threadIdx.x % 128 / 32 * 16 + lane / 4;
    col0 += mine * 8;
    #pragma unroll
    for (int i = 0; i < 16; ++i) {   // 4 matrices, the upper or lower rows
        const int first = i / 2 * 16 + i % 2 * 2;
        unsigned int pairs[4], words[4] = {};   // mine; my matrix's
        #pragma unroll
        for (int j = 0; j < 4; ++j)
            pairs[j] = round_two(acc[first + 4 * j], acc[first + 4 * j + 1]);
        #pragma unroll
        for (int far = 0; far < 4; ++far) {
            const int other = mine ^ far;
            const unsigned int low = other & 1 ? pairs[1] : pairs[0],
                               high = other & 1 ? pairs[3] : pairs[2];
            const unsigned int word = __shfl_xor_sync(
                0xffffffff, other & 2 ? high : low, far);
            #pragma unroll
            for (int j = 0; j < 4; ++j)
                words[j] = j == other ? word : words[j];
        }
        const int row = row0 + i % 2 * 8, col = col0 + i / 2 * 32;
        if (row < m && col < n)
            *reinterpret_cast<uint4*>(c + (size_t)row * n + col) =
                make_uint4(words[0], words[1], words[2], words[3]);
    }
}

// Where a block's tile lies. A group is GROUP rows of clusters' tiles;
// they go down its columns.
__device__ __forceinline__ int2 place(
    int tile, int rank, int tiles_m, int tiles_n)
{
    const int group = tile / (GROUP * tiles_n),
              inside = tile % (GROUP * tiles_n);
    const int high = min(GROUP, tiles_m - group * GROUP);
    return make_int2(((group * GROUP + inside % high) * CLUSTER + rank) * BM,
                     inside / high * BN);
}

extern "C" __cluster_dims__(CLUSTER) __global__
void __launch_bounds__(384, 1) hopper_sectors(
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
    // Tiles of a cluster: one below the other.
    const int tiles_m = (m + CLUSTER * BM - 1) / (CLUSTER * BM),
              tiles_n = (n + BN - 1) / BN, tiles = tiles_m * tiles_n;
    const int rank = blockIdx.x % CLUSTER;
    const int steps = (k + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            make_barrier(full + 8 * stage, 1);
            make_barrier(empty + 8 * stage, GROUPS * CLUSTER);
        }
        publish_barriers();
    }
    __cluster_barrier_arrive_relaxed();   // all blocks' barriers are made
    __cluster_barrier_wait();
    const int group = threadIdx.x / 128;
    Turn<STAGES> turn;
    auto fetch_stage = [&](int row0, int col0, int k0, Turn<STAGES> turn) {
        const unsigned int at = ring + turn.stage * STAGE_BYTES,
                           barrier = full + 8 * turn.stage;
        // The phase before the first counts as over.
        wait(empty + 8 * turn.stage, turn.parity ^ 1);
        for (int y = 0; y < BM / 64; ++y)
            fetch(at + y * BOX, a_map, row0 + 64 * y, k0, barrier);
        for (int x = rank; x < BN / 64; x += CLUSTER)
            fetch_for_all<CLUSTER>(at + A_BYTES + x * BOX, b_map, k0,
                                   col0 + 64 * x, barrier);
        expect(barrier, STAGE_BYTES);   // the other block's part, too
    };
    auto release = [&](int stage) {   // a thread for each block's barrier
        if (threadIdx.x % 128 < CLUSTER)
            arrive(empty + 8 * stage, threadIdx.x % 128);
    };
    if (group == GROUPS) {
        give_registers<40>();
        if (threadIdx.x == GROUPS * 128) {
            for (int tile = blockIdx.x / CLUSTER; tile < tiles;
                 tile += gridDim.x / CLUSTER) {
                const int2 at0 = place(tile, rank, tiles_m, tiles_n);
                for (int k0 = 0; k0 < k; k0 += BK, turn.next())
                    fetch_stage(at0.x, at0.y, k0, turn);
            }
            // A block stays until all have done with its memory.
            for (int stage = 0; stage < STAGES; ++stage, turn.next())
                wait(empty + 8 * turn.stage, turn.parity ^ 1);
        }
    } else {
        take_registers<232>();
        for (int tile = blockIdx.x / CLUSTER; tile < tiles;
             tile += gridDim.x / CLUSTER) {
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
            const int2 at0 = place(tile, rank, tiles_m, tiles_n);
            store_wide(c, acc, at0.x + 64 * group, at0.y, m, n);
        }
    }
}

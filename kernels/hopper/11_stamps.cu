// hopper/11_stamps: each role notes the SM's clock on its way: who waits for
//     whom, measured.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// stamps[block, role, tile of the block, step, 0 or 1], in clocks of its SM:
// roles 0 and 1 multiply: step's stage is full; step's products are done;
//     in place `steps`: the tile's way out begins; the next tile may begin
// role 2 fetches: it begins to wait for an empty stage; has asked for boxes
//
// Changed:  + stamps; with BOXES=0 words instead of boxes  (from 09_tiles)
// Launch:   block (384), grid (CLUSTER*ceil(
//           ceil(m/(128*CLUSTER))*ceil(n/256)/
//           ceil(ceil(m/(128*CLUSTER))*ceil(n/256)/(SMs//CLUSTER)))),
//           shared_bytes STAGES*49168 + OUT*16384
// Defines:  STAGES = 3, GROUP = 8, CLUSTER = 2, OUT = 4, BOXES = 1
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map, b_map and c_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; sm_90a
#ifndef STAGES
#define STAGES 3
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef OUT
#define OUT 4
#endif
#ifndef BOXES
#define BOXES 1
#endif
#include "parts.cuh"
constexpr int BM = 128, BN = 256, BK = 64;   // of a block
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int GROUPS = BM / 64;    // that multiply; one more fetches
constexpr int ACC = BN / 2;        // sums of a thread
static_assert(BN / 64 % OUT == 0, "the next tile begins with the first box");

// Rounds a warp group's 64 x 64 of c and lays them into a box, swizzled:
// stmatrix takes four 8 x 8 at a time, a lane the address of one row.
__device__ __forceinline__ void put_box(
    unsigned int box, const float (&acc)[ACC], int x)
{
    const int lane = threadIdx.x % 32,
              row = threadIdx.x % 128 / 32 * 16 + lane % 16;
    #pragma unroll
    for (int j = 0; j < 8; j += 2) {
        const int first = 32 * x + 4 * j, piece = j + lane / 16;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " [%0], {%1, %2, %3, %4};"
                     :: "r"(box + row * 128 + (piece ^ row % 8) * 16),
                        "r"(round_two(acc[first], acc[first + 1])),
                        "r"(round_two(acc[first + 2], acc[first + 3])),
                        "r"(round_two(acc[first + 4], acc[first + 5])),
                        "r"(round_two(acc[first + 6], acc[first + 7]))
                     : "memory");
    }
}

// Stores a warp group's 64 x 256 of c, OUT boxes at a time: they are free
// when the stores before have read them.
__device__ __forceinline__ void store_tile(
    const TensorMap& c_map, const float (&acc)[ACC], unsigned int boxes,
    int row0, int col0)
{
    const int group = threadIdx.x / 128;
    const bool first = threadIdx.x % 128 == 0;
    #pragma unroll
    for (int x0 = 0; x0 < BN / 64; x0 += OUT) {
        if (first) wait_for_boxes();
        sync_group(group);
        for (int x = 0; x < OUT; ++x)
            put_box(boxes + x * BOX, acc, x0 + x);
        publish_boxes();
        sync_group(group);
        for (int x = 0; x < OUT && first; ++x)
            store_box(c_map, boxes + x * BOX, row0, col0 + 64 * (x0 + x));
        commit_stores();
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
void __launch_bounds__(384, 1) hopper_stamps(
    const __grid_constant__ TensorMap a_map,   // [m, k]
    const __grid_constant__ TensorMap b_map,   // [k, n]
    const __grid_constant__ TensorMap c_map,   // [m, n]
    unsigned short* __restrict__ c,            // [m, n], the same
    long long* __restrict__ stamps,  // [blocks, 3, rounds, ceil(k/64) + 1, 2]
    int m, int n, int k, int rounds)
{
    // The stages, each a's tile and b's; boxes of c; barriers.
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int ring = __cvta_generic_to_shared(memory),
                       out = ring + STAGES * STAGE_BYTES,
                       full = out + GROUPS * OUT * BOX,
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
    // One thread of a role notes its tile number `round`, if there is room.
    const bool noting = threadIdx.x % 128 == 0;
    auto note = [&](int round, int step, int which) {
        if (noting && round < rounds)
            stamps[(((blockIdx.x * 3 + group) * rounds + round) * (steps + 1)
                    + step) * 2 + which] = clock64();
    };
    int round = 0;
    if (group == GROUPS) {
        give_registers<40>();
        if (threadIdx.x == GROUPS * 128) {
            for (int tile = blockIdx.x / CLUSTER; tile < tiles;
                 tile += gridDim.x / CLUSTER, ++round) {
                const int2 at0 = place(tile, rank, tiles_m, tiles_n);
                for (int k0 = 0; k0 < k; k0 += BK, turn.next()) {
                    note(round, k0 / BK, 0);
                    fetch_stage(at0.x, at0.y, k0, turn);
                    note(round, k0 / BK, 1);
                }
            }
            // A block stays until all have done with its memory.
            for (int stage = 0; stage < STAGES; ++stage, turn.next())
                wait(empty + 8 * turn.stage, turn.parity ^ 1);
        }
    } else {
        take_registers<232>();
        const unsigned int boxes = out + group * OUT * BOX;
        for (int tile = blockIdx.x / CLUSTER; tile < tiles;
             tile += gridDim.x / CLUSTER, ++round) {
            float acc[ACC] = {};
            int before = 0;   // the stage of the step before
            for (int step = 0; step < steps; ++step, turn.next()) {
                const unsigned int at = ring + turn.stage * STAGE_BYTES;
                wait(full + 8 * turn.stage, turn.parity);
                note(round, step, 0);
                multiply_stage(acc, at + group * BOX, at + A_BYTES);
                wait_for_products<1>();
                if (step > 0) note(round, step - 1, 1);
                if (step > 0) release(before);
                before = turn.stage;
            }
            wait_for_products<0>();
            note(round, steps - 1, 1);
            release(before);
            note(round, steps, 0);
            const int2 at0 = place(tile, rank, tiles_m, tiles_n);
            if constexpr (BOXES)
                store_tile(c_map, acc, boxes, at0.x + 64 * group, at0.y);
            else
                store_tile(c, acc, at0.x + 64 * group, at0.y, m, n);
            note(round, steps, 1);
        }
        wait_for_boxes();
    }
}

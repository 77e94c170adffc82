// hopper/12_pingpong: each consumer group has a tile of its own: one
//     multiplies while the other stores.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  a tile for both groups -> tiles in turns    (from 09_tiles)
// Launch:   block (384), grid (CLUSTER*ceil(ceil(m/(128*CLUSTER))*ceil(n/BN)/
//           ceil(ceil(m/(128*CLUSTER))*ceil(n/BN)/(SMs//CLUSTER)))),
//           shared_bytes STAGES*(16384 + 128*BN + 16) + OUT*16384 + 16
// Defines:  STAGES = 6, GROUP = 8, CLUSTER = 2, OUT = 1, BN = 128
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map, b_map and c_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; BN at most 192; sm_90a
#ifndef STAGES
#define STAGES 6
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef OUT
#define OUT 1
#endif
#ifndef BN
#define BN 128
#endif
#include "parts.cuh"
constexpr int BM = 128, BK = 64;   // of a block; and BN
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int GROUPS = 2;          // that take turns; one more fetches
constexpr int ACC = BN / 2;        // sums of a thread in 64 rows; it has 128
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

// acc += a * b of one stage, for the upper and the lower 64 rows.
__device__ __forceinline__ void multiply_stage(
    float (&upper)[ACC], float (&lower)[ACC], unsigned int a_tile,
    unsigned int b_tile)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int i = 0; i < 64; i += 16) {
        const unsigned long long b = matrix(b_tile + 128 * i);
        multiply(upper, matrix(a_tile + 2 * i), b);
        multiply(lower, matrix(a_tile + BOX + 2 * i), b);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Past the steps of a tile that is the other group's.
__device__ __forceinline__ void skip(Turn<STAGES>& turn, int steps)
{
    turn.stage += steps % STAGES;
    turn.parity ^= steps / STAGES & 1;
    if (turn.stage >= STAGES) { turn.stage -= STAGES; turn.parity ^= 1; }
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
void __launch_bounds__(384, 1) hopper_pingpong(
    const __grid_constant__ TensorMap a_map,   // [m, k]
    const __grid_constant__ TensorMap b_map,   // [k, n]
    const __grid_constant__ TensorMap c_map,   // [m, n]
    int m, int n, int k)
{
    // The stages, each a's tile and b's; boxes of c; barriers.
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int ring = __cvta_generic_to_shared(memory),
                       out = ring + STAGES * STAGE_BYTES,
                       full = out + GROUPS * OUT * BOX,
                       empty = full + 8 * STAGES,
                       may_multiply = empty + 8 * STAGES;   // a group's turn
    // Tiles of a cluster: one below the other.
    const int tiles_m = (m + CLUSTER * BM - 1) / (CLUSTER * BM),
              tiles_n = (n + BN - 1) / BN, tiles = tiles_m * tiles_n;
    const int rank = blockIdx.x % CLUSTER;
    const int steps = (k + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            make_barrier(full + 8 * stage, 1);
            make_barrier(empty + 8 * stage, CLUSTER);
        }
        for (int group = 0; group < GROUPS; ++group)
            make_barrier(may_multiply + 8 * group, 1);
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
        give_registers<24>();
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
        take_registers<240>();
        const unsigned int boxes = out + group * OUT * BOX;
        int parity = group ^ 1;   // group 0 begins at once
        if (group == 1) skip(turn, steps);
        for (int tile = blockIdx.x / CLUSTER + group * (gridDim.x / CLUSTER);
             tile < tiles; tile += GROUPS * (gridDim.x / CLUSTER)) {
            float upper[ACC] = {}, lower[ACC] = {};
            wait(may_multiply + 8 * group, parity);   // the other has issued
            parity ^= 1;
            int before = 0;   // the stage of the step before
            for (int step = 0; step < steps; ++step, turn.next()) {
                const unsigned int at = ring + turn.stage * STAGE_BYTES;
                wait(full + 8 * turn.stage, turn.parity);
                multiply_stage(upper, lower, at, at + A_BYTES);
                wait_for_products<1>();
                if (step > 0) release(before);
                before = turn.stage;
            }
            if (threadIdx.x % 128 == 0)
                arrive(may_multiply + 8 * (group ^ 1));
            wait_for_products<0>();
            release(before);
            skip(turn, steps);
            const int2 at0 = place(tile, rank, tiles_m, tiles_n);
            store_tile(c_map, upper, boxes, at0.x, at0.y);
            store_tile(c_map, lower, boxes, at0.x + 64, at0.y);
        }
        wait_for_boxes();
    }
}

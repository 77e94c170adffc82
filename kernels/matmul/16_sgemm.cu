// matmul/16_sgemm: everything at once: large thread tiles, a ring of stages,
//     shares for all SMs.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  rewrite: blocks stay for many tiles, and fragments are read
//           one step ahead
// Launch:   block (32*BM*BN/(WM*WN)),
//           grid (BLOCKS*SMs): right with any other number,
//           shared_bytes 4*STAGES*BK*(BM + 4 + BN)
// Defines:  BM = 128, BN = 256, BK = 8, WM = 64, WN = 64, TM = 16, TN = 8,
//           STAGES = 4, BLOCKS = 1, GROUP = 8, HANDOVER = 16, VEC = 4
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  n a multiple of VEC (4, 2, 1); m*k, k*n, m*n < 2^31;
//           one whole launch at a time; sm_80
// A block takes BM x BN of c, a warp WM x WN, a thread TM x TN; a step is BK
// of k. Where the last tiles leave SMs idle, blocks share them if that saves
// HANDOVER steps or more.
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 8
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef TM
#define TM 16
#endif
#ifndef TN
#define TN 8
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef HANDOVER
#define HANDOVER 16
#endif
#ifndef VEC
#define VEC 4
#endif
constexpr int THREADS = BM / WM * (BN / WN) * 32,
              LANES_M = WM / TM, LANES_N = WN / TN;
// Floats in shared memory.
constexpr int PITCH = BM + 4, A_TILE = BK * PITCH, B_TILE = BK * BN;
// Copies of a thread, and rows of one round of them.
constexpr int A_COPIES = BM * BK / THREADS, A_ROWS = THREADS / BK;
constexpr int B_COPIES = BK * BN / VEC / THREADS, B_ROWS = THREADS * VEC / BN;
// The most blocks that share tiles, and the most that share one.
constexpr int PLACES = 160 * BLOCKS, PARTS = 8;
static_assert(LANES_M * LANES_N == 32 && TM % 4 == 0 && TN % 4 == 0,
              "32 thread tiles, in fours");
static_assert(A_COPIES * A_ROWS == BM && B_COPIES * B_ROWS == BK,
              "whole rounds of copies");
struct alignas(4 * VEC) Vec { float of[VEC]; };
#define AT(row, col) (*reinterpret_cast<Vec*>(c + (row) * n + (col)))
// The column of a thread's x-th value.
#define COL(x) (col0 + warp_col + (x) / VEC * VEC * LANES_N + (x) % VEC)
// A block's sums of a tile that another block stores.
__device__ float part[PLACES][TM * TN][THREADS];
__device__ int ready[PLACES];   // 1 while they wait to be fetched
// Starts a copy of FLOATS to shared memory and goes on; zeros
// where not inside.
template <int FLOATS>
__device__ __forceinline__
void copy_async(unsigned int to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :: "r"(to), "l"(from), "n"(4 * FLOATS),
                    "r"(inside * 4 * FLOATS)
                 : "memory");
}

extern "C" __global__
void __launch_bounds__(THREADS, BLOCKS) matmul_sgemm(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* c,                       // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    // The stages of a, then those of b.
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    const int tile_row = warp / (BN / WN) * WM + lane / LANES_N * 4;
    const int tile_col = warp % (BN / WN) * WN,
              warp_col = tile_col + lane % LANES_N * VEC;
    const float *a_read = shared + tile_row;
    const float *b_read = shared + STAGES * A_TILE + tile_col
                          + lane % LANES_N * 4;
    const int a_i = tid % BK, a_row = tid / BK,
              b_i = VEC * tid / BN, b_col = VEC * tid % BN;
    // In c a thread's VECs lie apart (COL), for stores of whole rows; its
    // tile holds them by fours.
    const int four = b_col / VEC % LANES_N * 4
                     + b_col / VEC / LANES_N * VEC % 4;
    const int b_place = b_i * BN + b_col / (4 * LANES_N) * (4 * LANES_N)
                        + four;
    const unsigned int a_to =
        __cvta_generic_to_shared(shared + a_i * PITCH + a_row);
    const unsigned int b_to =
        __cvta_generic_to_shared(shared + STAGES * A_TILE + b_place);
    // Whole tiles for everybody, in turn; then equal shares of all the steps
    // that are left.
    const int tiles_m = (m + BM - 1) / BM,
              tiles_n = (n + BN - 1) / BN, tiles = tiles_m * tiles_n;
    const int k_tiles = (k + BK - 1) / BK,
              ragged = k - (k_tiles - 1) * BK, span = GROUP * tiles_n;
    // I wait for earlier blocks only.
    const int blocks = gridDim.x, me = blocks - 1 - blockIdx.x;
    int whole = blocks > PLACES ? tiles : tiles / blocks * blocks;
    if ((long long)(whole + blocks - tiles) * k_tiles
            < (long long)HANDOVER * blocks)
        whole = tiles;
    const int rest = (tiles - whole) * k_tiles;
    const int share = max((rest + blocks - 1) / blocks,
                          (k_tiles + PARTS - 1) / PARTS);
    int next = me, step = min(rest, me * share),
        last = min(rest, step + share);
    while (next < whole || step < last) {
        // My steps of a tile: all of them, or a share.
        int tile = next, begin = 0, end = k_tiles;
        if (next < whole) next += blocks;
        else {
            tile = whole + step / k_tiles; begin = step % k_tiles;
            end = min(k_tiles, begin + last - step); step += end - begin;
        }
        const int steps = end - begin, top = tile / span * GROUP,
                  rows = min(GROUP, tiles_m - top);
        const int row0 = (top + tile % span % rows) * BM,
                  col0 = tile % span / rows * BN;
        // Past the edge come the first rows and columns again: no guard
        // in the loop, and no address that many lanes share, for which they
        // would queue. Nobody stores what comes of it.
        unsigned int a_at[A_COPIES], b_at[B_COPIES];
        for (int t = 0; t < A_COPIES; ++t)
            a_at[t] = (unsigned int)((row0 + a_row + t * A_ROWS) % m) * k
                      + a_i;
        for (int t = 0; t < B_COPIES; ++t)
            b_at[t] = (unsigned int)(b_i + t * B_ROWS) * n
                      + (col0 + b_col) % n;
        // Step 0 of k is the one that may be short: zeros fill it up.
        const int skip = max(0, ragged + (begin - 1) * BK),
                  inside = begin == 0 ? ragged : BK;
        const float *a_from = a + skip, *b_from = b + (size_t)skip * n;
        auto copy = [&](int stage, bool guarded) {   // both tiles of a step
            for (int t = 0; t < A_COPIES; ++t) {
                bool ok = !guarded || a_i < inside;
                copy_async<1>(a_to + 4 * (stage * A_TILE + t * A_ROWS),
                              ok ? a_from + a_at[t] : a, ok);
            }
            for (int t = 0; t < B_COPIES; ++t) {
                bool ok = !guarded || b_i + t * B_ROWS < inside;
                copy_async<VEC>(b_to + 4 * (stage * B_TILE
                                            + t * THREADS * VEC),
                                ok ? b_from + b_at[t] : b, ok);
            }
            a_from += guarded ? inside : BK;
            b_from += (size_t)(guarded ? inside : BK) * n;
        };
        copy(0, true);
        asm volatile("cp.async.commit_group;" ::: "memory");
        for (int s = 1; s < STAGES - 1; ++s) {
            if (s < steps) copy(s, false);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        float acc[TM][TN] = {}, a_frag[2][TM], b_frag[2][TN];
        // The four values of a, or of b, from r on.
        auto read = [&](int stage, int i, int r) {
            const float* from = r < TM
                ? a_read + stage * A_TILE + i * PITCH + r * LANES_M
                : b_read + stage * B_TILE + i * BN + (r - TM) * LANES_N;
            float* to = r < TM ? &a_frag[i % 2][r] : &b_frag[i % 2][r - TM];
            *reinterpret_cast<float4*>(to) =
                *reinterpret_cast<const float4*>(from);
        };
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();
        for (int r = 0; r < TM + TN; r += 4) read(0, 0, r);
        int stage = 0, into = STAGES - 1;
        for (int t = 0; t < steps; ++t)
            #pragma unroll
            for (int i = 0; i < BK; ++i) {
                // At the last i, the next fragments are the next stage's.
                if (i == BK - 1) {
                    asm volatile("cp.async.wait_group %0;"
                                 :: "n"(STAGES - 2) : "memory");
                    __syncthreads();
                    if (t + 1 < steps)
                        stage = stage + 1 == STAGES ? 0 : stage + 1;
                }
                if (i == 0) {
                    if (t + STAGES - 1 < steps) copy(into, false);
                    asm volatile("cp.async.commit_group;" ::: "memory");
                    into = into + 1 == STAGES ? 0 : into + 1;
                }
                // Reads come in between, so that they do not queue.
                #pragma unroll
                for (int e = 0; e < TM * TN; ++e) {
                    if (e % 8 == 0 && e / 2 < TM + TN)
                        read(stage, (i + 1) % BK, e / 2);
                    const int y = e / TN,   // and x goes there and back
                              x = y % 2 ? TN - 1 - e % TN : e % TN;
                    acc[y][x] = fmaf(a_frag[i % 2][y], b_frag[i % 2][x],
                                     acc[y][x]);
                }
            }
        // Whoever has step 0 of this tile fetches the sums and stores it.
        if (begin > 0) {
            for (int e = 0; e < TM * TN; ++e)
                part[me][e][tid] = acc[e / TN][e % TN];
            __threadfence();
            // All is stored, and the stages are free for the next tile.
            __syncthreads();
            if (tid == 0) *(volatile int*)&ready[me] = 1;
            continue;
        }
        // Helpers have the other steps of this tile.
        const int helpers = (k_tiles - end + share - 1) / share;
        for (int w = me + 1; w <= me + helpers; ++w)
            while (*(volatile int*)&ready[w] == 0) {}
        __threadfence();
        // The loads of four rows are on their way together.
        #pragma unroll
        for (int y0 = 0; y0 < TM; y0 += 4) {
            for (int w = me + 1; w <= me + helpers; ++w)
                for (int e = 0; e < 4 * TN; ++e)
                    acc[y0 + e / TN][e % TN] += part[w][y0 * TN + e][tid];
            Vec sums[4][TN / VEC] = {};
            const int row = row0 + tile_row + y0 * LANES_M;
            for (int y = 0; y < 4 && beta != 0.0f; ++y)
                for (int x = 0; x < TN; x += VEC)
                    if (row + y < m && COL(x) < n)
                        sums[y][x / VEC] = AT(row + y, COL(x));
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < TN; x += VEC) {
                    Vec& sum = sums[y][x / VEC];
                    for (int j = 0; j < VEC; ++j)
                        sum.of[j] = alpha * acc[y0 + y][x + j]
                                    + beta * sum.of[j];
                    if (row + y < m && COL(x) < n) AT(row + y, COL(x)) = sum;
                }
        }
        __syncthreads();   // the stages are free for the next tile
        if (tid < helpers) ready[me + 1 + tid] = 0;
    }
}

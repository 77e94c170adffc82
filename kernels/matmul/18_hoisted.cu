// matmul/18_hoisted: addresses are worked out once, before the loop, and
//     the loop has no guards.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  rewrite: functions with names; pointers that move along k;
//           fragments read as float4; products there and back (SNAKE);
//           four columns at a time (UNROLL); c stored in vectors;
//           the stages in one array; a short step comes first
//           (from 15_cp_async)
// Launch:   block (256), grid (ceil(n/128), ceil(m/128)),
//           shared_bytes 4*STAGES*8*(128 + 4 + 128)
// Defines:  STAGES = 3, UNROLL = 4, SNAKE = 1, VEC = 4
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  n a multiple of VEC (4, 2, 1); m*k, k*n, m*n < 2^31; sm_80
#ifndef STAGES
#define STAGES 3
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef SNAKE
#define SNAKE 1
#endif
#ifndef VEC
#define VEC 4
#endif
constexpr int BM = 128, BN = 128, BK = 8, WM = 64, WN = 32, TM = 8, TN = 8;
constexpr int THREADS = BM / WM * (BN / WN) * 32,
              LANES_M = WM / TM, LANES_N = WN / TN;   // lanes of a warp
// A stage in shared memory: BK columns of a, each in a row of PITCH floats,
// then BK rows of b.
constexpr int PITCH = BM + 4, STAGE = BK * (PITCH + BN);
// A thread's copies in a stage, and the rows from one to the next.
constexpr int A_COPIES = BM * BK / THREADS, A_ROWS = BM / A_COPIES;
constexpr int B_COPIES = BK * BN / VEC / THREADS, B_ROWS = BK / B_COPIES;
static_assert(LANES_M * LANES_N == 32 && TM % 4 == 0 && TN % 4 == 0,
              "32 thread tiles, in fours");
static_assert(A_COPIES * A_ROWS == BM && B_COPIES * B_ROWS == BK,
              "whole rounds of copies");
struct alignas(4 * VEC) Vec { float of[VEC]; };
// One column of a and one row of b, as far as a thread needs them.
struct alignas(16) Fragments { float a[TM], b[TN]; };
// Where a thread copies to and reads from, in stage 0, and where in a and b
// its part of the next step begins.
struct Thread {
    float *a_to, *b_to;
    const float *a_read, *b_read;
    const float *a_from[A_COPIES], *b_from[B_COPIES];
    int a_i, b_i;   // the column of a and the row of b that it copies
};

// Starts a copy from global to shared memory and goes on; zeros where not
// inside.
template <int FLOATS>
__device__ __forceinline__
void copy_async(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)),
                    "l"(from), "n"(4 * FLOATS), "r"(inside * 4 * FLOATS)
                 : "memory");
}

// Starts the copies of one step to the stage at this offset. depth: the
// step's columns of a; where GUARDED, zeros fill it up to BK.
template <bool GUARDED>
__device__ __forceinline__
void load_stage(const Thread& my, int stage, int depth = BK)
{
    for (int t = 0; t < A_COPIES; ++t)
        copy_async<1>(my.a_to + stage + t * A_ROWS, my.a_from[t],
                      !GUARDED || my.a_i < depth);
    for (int t = 0; t < B_COPIES; ++t)
        copy_async<VEC>(my.b_to + stage + t * B_ROWS * BN, my.b_from[t],
                        !GUARDED || my.b_i + t * B_ROWS < depth);
}

// Lets the next copies begin so many columns of a, or rows of b, further on.
__device__ __forceinline__ void move_on(Thread& my, int n, int depth)
{
    for (int t = 0; t < A_COPIES; ++t) my.a_from[t] += depth;
    for (int t = 0; t < B_COPIES; ++t) my.b_from[t] += (size_t)depth * n;
}

// Closes a group of copies: those since the last one.
__device__ __forceinline__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until the copies of the next stage are there, everybody's; then the
// stage used last is free, too.
__device__ __forceinline__ void wait_for_stage()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
    __syncthreads();
}

// A thread's first row and column in the block's tile. The others follow in
// fours: 4 * LANES_M rows, 4 * LANES_N columns from one four to the next.
__device__ __forceinline__ int first_row()
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int lane_row = lane / LANES_N;
    return warp / (BN / WN) * WM + 4 * lane_row;
}
__device__ __forceinline__ int first_col()
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int lane_col = lane % LANES_N;
    return warp % (BN / WN) * WN + 4 * lane_col;
}

// Reads column i of a and row i of b from the stage at this offset.
__device__ __forceinline__
void read_fragments(Fragments& to, const Thread& my, int stage, int i)
{
    const float *a = my.a_read + stage + i * PITCH,
                *b = my.b_read + stage + i * BN;
    for (int y = 0; y < TM; y += 4)
        *(float4*)&to.a[y] = *(const float4*)(a + y * LANES_M);
    for (int x = 0; x < TN; x += 4)
        *(float4*)&to.b[x] = *(const float4*)(b + x * LANES_N);
}

// With SNAKE every second row of products goes from right to left: then two
// neighbours always have a factor in common.
__device__ __forceinline__
void multiply(float (&acc)[TM][TN], const Fragments& frag)
{
    for (int y = 0; y < TM; ++y)
        for (int e = 0; e < TN; ++e) {
            int x = SNAKE && y % 2 ? TN - 1 - e : e;
            acc[y][x] += frag.a[y] * frag.b[x];
        }
}

// Adds to acc so many steps of k, the first of them of so many columns.
__device__ __forceinline__
void multiply_steps(float (&acc)[TM][TN], Thread my, int steps, int first,
                    int n)
{
    load_stage<true>(my, 0, first);
    move_on(my, n, first);
    commit();
    for (int s = 1; s < STAGES - 1; ++s) {
        if (s < steps) load_stage<false>(my, s * STAGE);
        move_on(my, n, BK);
        commit();
    }
    int now = 0, free = (STAGES - 1) * STAGE;   // offsets of stages
    for (int t = 0; t < steps; ++t) {
        wait_for_stage();
        if (t + STAGES - 1 < steps) load_stage<false>(my, free);
        move_on(my, n, BK);
        commit();
        #pragma unroll UNROLL
        for (int i = 0; i < BK; ++i) {
            Fragments frag;
            read_fragments(frag, my, now, i);
            multiply(acc, frag);
        }
        free = now;
        now = now == (STAGES - 1) * STAGE ? 0 : now + STAGE;
    }
}

// Stores a thread's part of the tile that begins at row0 and col0. The old
// elements of four rows, where beta wants them, are on their way together.
__device__ __forceinline__
void store_tile(float* c, const float (&acc)[TM][TN], int row0, int col0,
                int m, int n, float alpha, float beta)
{
    row0 += first_row();
    col0 += first_col();
    #pragma unroll
    for (int y0 = 0; y0 < TM; y0 += 4) {
        asm volatile("" ::: "memory");   // no loads of later rows yet
        Vec four[4][TN / VEC] = {};
        for (int e = 0; e < 4 * TN && beta != 0.0f; e += VEC) {
            int row = row0 + y0 * LANES_M + e / TN, x = e % TN,
                col = col0 + x / 4 * 4 * LANES_N + x % 4;
            if (row < m && col < n)
                four[e / TN][x / VEC] = *(Vec*)(c + row * n + col);
        }
        for (int e = 0; e < 4 * TN; e += VEC) {
            int row = row0 + y0 * LANES_M + e / TN, x = e % TN,
                col = col0 + x / 4 * 4 * LANES_N + x % 4;
            Vec& sum = four[e / TN][x / VEC];
            for (int j = 0; j < VEC; ++j)
                sum.of[j] = alpha * acc[y0 + e / TN][x + j]
                            + beta * sum.of[j];
            if (row < m && col < n) *(Vec*)(c + row * n + col) = sum;
        }
    }
}

extern "C" __global__
void __launch_bounds__(THREADS) matmul_hoisted(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x;
    const int steps = (k + BK - 1) / BK, ragged = k - (steps - 1) * BK;
    Thread my;
    my.a_i = tid % BK, my.b_i = VEC * tid / BN;
    my.a_to = shared + my.a_i * PITCH + tid / BK;
    my.b_to = shared + BK * PITCH + VEC * tid;
    my.a_read = shared + first_row();
    my.b_read = shared + BK * PITCH + first_col();
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    // Past the edge the first rows and columns come again; nobody stores
    // what comes of them.
    for (int t = 0; t < A_COPIES; ++t)
        my.a_from[t] = a + (row0 + tid / BK + t * A_ROWS) % m * k
                       + my.a_i;
    for (int t = 0; t < B_COPIES; ++t)
        my.b_from[t] = b + (my.b_i + t * B_ROWS) * n
                       + (col0 + VEC * tid % BN) % n;
    float acc[TM][TN] = {};
    multiply_steps(acc, my, steps, ragged, n);   // the short step first
    store_tile(c, acc, row0, col0, m, n, alpha, beta);
}

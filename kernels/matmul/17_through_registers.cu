// matmul/17_through_registers: the double buffer again, with addresses that
//     are worked out once, before the loop, and no guards in it.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  rewrite: functions with names; pointers that move along k;
//           fragments read as float4; products there and back (SNAKE);
//           four columns at a time (UNROLL); c stored in vectors;
//           the stages in one array; a short step comes first
//           (from 14_double_buffer)
// Launch:   block (256), grid (ceil(n/128), ceil(m/128)),
//           shared_bytes 4*2*8*(128 + 4 + 128)
// Defines:  AHEAD = 1, UNROLL = 4, SNAKE = 1, VEC = 4
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  k and n multiples of VEC (else VEC=1);
//           m*k, k*n and m*n below 2^31
// With AHEAD = 0 the loads stand behind the products, not before them.
#ifndef AHEAD
#define AHEAD 1
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
// A thread's loads for a stage, and the rows from one to the next.
constexpr int A_LOADS = BM * BK / VEC / THREADS, A_ROWS = BM / A_LOADS;
constexpr int B_LOADS = BK * BN / VEC / THREADS, B_ROWS = BK / B_LOADS;
static_assert(LANES_M * LANES_N == 32 && TM % 4 == 0 && TN % 4 == 0,
              "32 thread tiles, in fours");
static_assert(A_LOADS * A_ROWS == BM && B_LOADS * B_ROWS == BK,
              "whole rounds of loads");
struct alignas(4 * VEC) Vec { float of[VEC]; };
// One column of a and one row of b, as far as a thread needs them.
struct alignas(16) Fragments { float a[TM], b[TN]; };
// What a thread has loaded for the next stage, and not stored yet.
struct Next { Vec a[A_LOADS], b[B_LOADS]; };
// Where a thread stores to and reads from, in stage 0, and where in a and b
// its part of the next step begins.
struct Thread {
    float *a_to, *b_to;
    const float *a_read, *b_read;
    const float *a_from[A_LOADS], *b_from[B_LOADS];
    int a_i, b_i;   // the column of a and the row of b that it loads
};

// Starts the loads of one step. depth: the step's columns of a; where
// GUARDED, zeros fill it up to BK.
template <bool GUARDED>
__device__ __forceinline__
void fetch(Next& next, const Thread& my, int depth = BK)
{
    for (int t = 0; t < A_LOADS; ++t)
        next.a[t] = !GUARDED || my.a_i < depth
            ? *(const Vec*)my.a_from[t] : Vec{};
    for (int t = 0; t < B_LOADS; ++t)
        next.b[t] = !GUARDED || my.b_i + t * B_ROWS < depth
            ? *(const Vec*)my.b_from[t] : Vec{};
}

// Stores what was loaded to the stage at this offset.
__device__ __forceinline__
void put(const Next& next, const Thread& my, int stage)
{
    for (int t = 0; t < A_LOADS; ++t)
        for (int j = 0; j < VEC; ++j)
            my.a_to[stage + j * PITCH + t * A_ROWS] = next.a[t].of[j];
    for (int t = 0; t < B_LOADS; ++t)
        *(Vec*)(my.b_to + stage + t * B_ROWS * BN) = next.b[t];
}

// Lets the next loads begin so many columns of a, or rows of b, further on.
__device__ __forceinline__ void move_on(Thread& my, int n, int depth)
{
    for (int t = 0; t < A_LOADS; ++t) my.a_from[t] += depth;
    for (int t = 0; t < B_LOADS; ++t) my.b_from[t] += (size_t)depth * n;
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
    Next next;
    fetch<true>(next, my, first);
    move_on(my, n, first);
    put(next, my, 0);
    for (int t = 0, now = 0; t < steps; ++t, now = STAGE - now) {
        // This stage is there, and nobody reads the other one any more.
        __syncthreads();
        if (AHEAD && t + 1 < steps) fetch<false>(next, my);
        #pragma unroll UNROLL
        for (int i = 0; i < BK; ++i) {
            Fragments frag;
            read_fragments(frag, my, now, i);
            multiply(acc, frag);
        }
        if (!AHEAD && t + 1 < steps) fetch<false>(next, my);
        if (t + 1 < steps) put(next, my, STAGE - now);
        move_on(my, n, BK);
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
void __launch_bounds__(THREADS) matmul_through_registers(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x;
    const int steps = (k + BK - 1) / BK, ragged = k - (steps - 1) * BK;
    Thread my;
    my.a_i = VEC * tid % BK, my.b_i = VEC * tid / BN;
    my.a_to = shared + my.a_i * PITCH + VEC * tid / BK;
    my.b_to = shared + BK * PITCH + VEC * tid;
    my.a_read = shared + first_row();
    my.b_read = shared + BK * PITCH + first_col();
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    // Past the edge the first rows and columns come again; nobody stores
    // what comes of them.
    for (int t = 0; t < A_LOADS; ++t)
        my.a_from[t] = a + (row0 + VEC * tid / BK + t * A_ROWS) % m * k
                       + my.a_i;
    for (int t = 0; t < B_LOADS; ++t)
        my.b_from[t] = b + (my.b_i + t * B_ROWS) * n
                       + (col0 + VEC * tid % BN) % n;
    float acc[TM][TN] = {};
    multiply_steps(acc, my, steps, ragged, n);   // the short step first
    store_tile(c, acc, row0, col0, m, n, alpha, beta);
}

// tensor_cores/06_halves: the tile of a is waited for before the copies of
//     b begin: two round trips.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  one wait more, between the two tiles   (from 06_waiting)
// Launch:   block (32*BM*BN/(WM*WN)), grid (ceil(n/BN), ceil(m/BM)),
//           shared_bytes 2*STAGES*BK*(BM + BN)
// Defines:  TYPE = bf16, VEC = 8, STAGES = 3, BM = 128, BN = 128, BK = 64,
//           WM = 64, WN = 32
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  k and n multiples of VEC (8, 4 or 2); m*k, k*n and m*n
//           below 2^31; sm_80
// TYPE is bf16 or f16; to C++ both are 16 bits.
#ifndef TYPE
#define TYPE bf16
#endif
#ifndef VEC
#define VEC 8
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 64
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 32
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
constexpr int THREADS = BM / WM * (BN / WN) * 32;
// Two blocks on an SM, where their sums leave registers for two.
constexpr int BLOCKS = WM * WN > 2048 || VEC < 8 ? 1 : 2;
constexpr int A_TILE = BM * BK, B_TILE = BK * BN;   // elements
static_assert(BK % 64 == 0 && BN % 64 == 0, "eight runs change places");

// The stage behind another, in the ring.
__device__ __forceinline__ int after(int stage)
{
    return stage + 1 == STAGES ? 0 : stage + 1;
}

// Where a tile keeps an element: runs of 8 change places, in each row
// in another way.
template <int COLS>
__device__ __forceinline__ int place(int row, int col)
{
    return row * COLS + (col ^ row % 8 * 8);
}

// Starts a copy to shared memory and goes on; zeros where not inside.
__device__ __forceinline__
void copy(unsigned short* to, const unsigned short* from, bool inside)
{
#if VEC == 8
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;"
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
#endif
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)),
                    "l"(from), "n"(2 * VEC), "r"(inside ? 2 * VEC : 0)
                 : "memory");
}

// Starts the copies of a tile.
template <int ROWS, int COLS>
__device__ __forceinline__ void fetch(
    unsigned short* tile, const unsigned short* from,
    int row0, int col0, int rows, int cols)
{
    constexpr int ACROSS = COLS / VEC, DOWN = THREADS / ACROSS;
    static_assert(DOWN > 0 && ROWS % DOWN == 0, "whole rounds of copies");
    const int col = threadIdx.x % ACROSS * VEC;
    #pragma unroll
    for (int t = 0; t < ROWS / DOWN; ++t) {
        const int row = threadIdx.x / ACROSS + t * DOWN;
        const bool inside = row0 + row < rows && col0 + col < cols;
        const size_t at = (row0 + row) * cols + col0 + col;
        copy(tile + place<COLS>(row, col), inside ? from + at : from, inside);
    }
}

// 16 x 16 of a: four 8 x 8 matrices. A lane gives the address of one row.
__device__ __forceinline__ void read_a(
    unsigned int (&frag)[4], const unsigned short* tile, int row0, int i0)
{
    const int lane = threadIdx.x % 32;
    const int row = row0 + lane % 16, i = i0 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3},"
                 " [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"((unsigned int)__cvta_generic_to_shared(
                       tile + place<BK>(row, i)))
                 : "memory");
}

// 16 x 16 of b: each of the four matrices comes transposed.
__device__ __forceinline__ void read_b(
    unsigned int (&frag)[4], const unsigned short* tile, int i0, int col0)
{
    const int lane = threadIdx.x % 32;
    const int i = i0 + lane % 16, col = col0 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                 " {%0, %1, %2, %3}, [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"((unsigned int)__cvta_generic_to_shared(
                       tile + place<BN>(i, col)))
                 : "memory");
}

// acc += a * b: 16 x 8 of c from 16 x 16 of a and 16 x 8 of b.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32." TEXT(TYPE) "." TEXT(TYPE)
        ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9},"
        " {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Rounds two neighbours and stores them, if they lie inside.
__device__ __forceinline__ void store(
    unsigned short* c, int row, int col, int m, int n,
    float left, float right)
{
    unsigned int both;
    asm("cvt.rn." TEXT(TYPE) "x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(right), "f"(left));
    if (row < m && col < n)
        *reinterpret_cast<unsigned int*>(c + (size_t)row * n + col) = both;
}

extern "C" __global__
void __launch_bounds__(THREADS, BLOCKS) tensor_cores_halves(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    unsigned short* __restrict__ c,         // [m, n]
    int m, int n, int k)
{
    // The stages of a, then those of b.
    extern __shared__ __align__(128) unsigned short a_tiles[];
    unsigned short* b_tiles = a_tiles + STAGES * A_TILE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    float acc[WM / 16][WN / 8][4] = {};
    auto fetch_stage = [&](int stage, int k0) {
        fetch<BM, BK>(a_tiles + stage * A_TILE, a, row0, k0, m, k);
        asm volatile("cp.async.wait_all;" ::: "memory");
        fetch<BK, BN>(b_tiles + stage * B_TILE, b, k0, col0, k, n);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    int stage = 0;
    for (int k0 = 0; k0 < k; k0 += BK) {
        // Everyone has read the last tile. What comes now is used at once.
        __syncthreads();
        fetch_stage(stage, k0);
        asm volatile("cp.async.wait_group %0;" :: "n"(0) : "memory");
        __syncthreads();
        const unsigned short *a_tile = a_tiles + stage * A_TILE,
                             *b_tile = b_tiles + stage * B_TILE;
        stage = after(stage);
        #pragma unroll
        for (int i = 0; i < BK; i += 16) {
            unsigned int a_frag[WM / 16][4], b_frag[WN / 16][4];
            for (int y = 0; y < WM / 16; ++y)
                read_a(a_frag[y], a_tile, my_row + 16 * y, i);
            for (int x = 0; x < WN / 16; ++x)
                read_b(b_frag[x], b_tile, i, my_col + 16 * x);
            for (int y = 0; y < WM / 16; ++y)
                for (int x = 0; x < WN / 8; ++x)
                    multiply(acc[y][x], a_frag[y], &b_frag[x / 2][x % 2 * 2]);
        }
    }
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 8; ++x)
            for (int half = 0; half < 2; ++half)
                store(c, row0 + my_row + 16 * y + 8 * half + lane / 4,
                      col0 + my_col + 8 * x + lane % 4 * 2, m, n,
                      acc[y][x][2 * half], acc[y][x][2 * half + 1]);
}

// tensor_cores/08_ahead: fragments are read one step ahead of the products
//     that take them.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  two sets of fragments: one is read while the other is
//           multiplied                     (from 07_addresses)
// Launch:   block (32*BM*BN/(WM*WN)), grid (ceil(n/BN), ceil(m/BM)),
//           shared_bytes 2*STAGES*BK*(BM + BN)
// Defines:  TYPE = bf16, STAGES = 3, BM = 128, BN = 256, BK = 64,
//           WM = 64, WN = 64
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  k and n multiples of 8; m*k, k*n and m*n below 2^31; sm_80
// TYPE is bf16 or f16; to C++ both are 16 bits.
#ifndef TYPE
#define TYPE bf16
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 64
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
constexpr int THREADS = BM / WM * (BN / WN) * 32;
constexpr int RUN = 8;                                   // of 16 bytes
constexpr int A_BYTES = 2 * BM * BK, B_BYTES = 2 * BK * BN;   // of a tile
constexpr int A_DOWN = THREADS / (BK / RUN),   // rows from one of a
              B_DOWN = THREADS / (BN / RUN);   // thread's copies to the next
static_assert(BK % 64 == 0 && BN % 64 == 0, "eight runs change places");
static_assert(A_DOWN % 8 == 0 && B_DOWN % 8 == 0 && BM % A_DOWN == 0
              && BK % B_DOWN == 0, "every copy swizzles as the first");

// The stage behind another, in the ring.
__device__ __forceinline__ int after(int stage)
{
    return stage + 1 == STAGES ? 0 : stage + 1;
}

// Everyone's copies of the next tile are there, and the last one is free.
__device__ __forceinline__ void wait_for_stage()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
    __syncthreads();
}

// Where a tile keeps an element, in bytes: runs of 8 change places, in
// each row in another way.
template <int COLS>
__device__ __forceinline__ unsigned int place(int row, int col)
{
    return 2 * (row * COLS + (col ^ row % 8 * 8));
}

// Starts a copy to shared memory and goes on; zeros where not inside.
__device__ __forceinline__
void copy(unsigned int to, const unsigned short* from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;"
                 :: "r"(to), "l"(from), "n"(16), "r"(inside ? 16 : 0)
                 : "memory");
}

// 16 x 16 of a: four 8 x 8 matrices. A lane gives the address of one row.
__device__ __forceinline__
void read_a(unsigned int (&frag)[4], unsigned int address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3},"
                 " [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"(address) : "memory");
}

// 16 x 16 of b: each of the four matrices comes transposed.
__device__ __forceinline__
void read_b(unsigned int (&frag)[4], unsigned int address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                 " {%0, %1, %2, %3}, [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"(address) : "memory");
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
void __launch_bounds__(THREADS) tensor_cores_ahead(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    unsigned short* __restrict__ c,         // [m, n]
    int m, int n, int k)
{
    // The stages of a, then those of b.
    extern __shared__ __align__(1024) unsigned short tiles[];
    const unsigned int a_tiles = __cvta_generic_to_shared(tiles),
                       b_tiles = a_tiles + STAGES * A_BYTES;
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    float acc[WM / 16][WN / 8][4] = {};
    // Of this thread's first copies: from where, to where; and how much of
    // a and b is left from there on.
    const int a_row = tid / (BK / RUN), a_col = tid % (BK / RUN) * RUN,
              b_row = tid / (BN / RUN), b_col = tid % (BN / RUN) * RUN;
    const unsigned short* a_from = a + (size_t)(row0 + a_row) * k + a_col;
    const unsigned short* b_from = b + (size_t)b_row * n + col0 + b_col;
    const unsigned int a_to = a_tiles + place<BK>(a_row, a_col),
                       b_to = b_tiles + place<BN>(b_row, b_col);
    const int rows_left = m - row0 - a_row;
    int a_left = k - a_col, b_left = col0 + b_col < n ? k - b_row : 0;
    auto fetch_stage = [&](int stage) {   // zeros past the ends
        for (int t = 0; t < BM / A_DOWN; ++t)
            copy(a_to + stage * A_BYTES + t * A_DOWN * BK * 2,
                 a_from + t * A_DOWN * k,
                 a_left > 0 && t * A_DOWN < rows_left);
        for (int t = 0; t < BK / B_DOWN; ++t)
            copy(b_to + stage * B_BYTES + t * B_DOWN * BN * 2,
                 b_from + t * B_DOWN * n, t * B_DOWN < b_left);
        asm volatile("cp.async.commit_group;" ::: "memory");
        a_from += BK; a_left -= BK; b_from += BK * n; b_left -= BK;
    };
    // What this lane reads first. Further along a row is another XOR.
    const unsigned int
        a_at = a_tiles + place<BK>(my_row + lane % 16, lane / 16 * 8),
        b_at = b_tiles + place<BN>(lane % 16, my_col + lane / 16 * 8);
    unsigned int a_frag[2][WM / 16][4], b_frag[2][WN / 16][4];
    auto read = [&](int stage, int step) {   // 16 of k, into set step % 2
        for (int y = 0; y < WM / 16; ++y)
            read_a(a_frag[step % 2][y], (a_at ^ 32 * step)
                   + stage * A_BYTES + y * 16 * BK * 2);
        for (int x = 0; x < WN / 16; ++x)
            read_b(b_frag[step % 2][x], (b_at ^ 32 * x)
                   + stage * B_BYTES + step * 16 * BN * 2);
    };
    for (int stage = 0; stage < STAGES - 1; ++stage) fetch_stage(stage);
    wait_for_stage();
    read(0, 0);
    int stage = 0, into = STAGES - 1;
    for (int k0 = 0; k0 < k; k0 += BK) {
        #pragma unroll
        for (int step = 0; step < BK / 16; ++step) {
            // At the last step, the next fragments are the next tile's.
            if (step == BK / 16 - 1) {
                wait_for_stage();
                stage = after(stage);
            }
            read(stage, (step + 1) % (BK / 16));
            if (step == 0) {
                fetch_stage(into);
                into = after(into);
            }
            for (int y = 0; y < WM / 16; ++y)
                for (int x = 0; x < WN / 8; ++x)
                    multiply(acc[y][x], a_frag[step % 2][y],
                             &b_frag[step % 2][x / 2][x % 2 * 2]);
        }
    }
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 8; ++x)
            for (int half = 0; half < 2; ++half)
                store(c, row0 + my_row + 16 * y + 8 * half + lane / 4,
                      col0 + my_col + 8 * x + lane % 4 * 2, m, n,
                      acc[y][x][2 * half], acc[y][x][2 * half + 1]);
}

// tensor_cores/11_types: bfloat16, half, tf32 and int8: to the loads they
//     are all words of 32 bits.
//
// c[row, col] = sum over i of a[row, i] * b[col, i]
//
// Changed:  b is stored by columns, c is not rounded; a row's length
//           counts in words                (from 10_order)
// Launch:   block (32*BM*BN/(WM*WN)), grid (ceil(n/BN)*ceil(m/BM)),
//           shared_bytes 4*STAGES*BK*(BM + BN)
// Defines:  TYPE = bf16, STAGES = 3, BM = 128, BN = 256, BK = 32,
//           WM = 64, WN = 64, GROUP = 8
// Cost:     4*(m*words + words*n + m*n) bytes,
//           4*m*n*words flops (tf32 half as many, s8 twice)
// Assumes:  words a multiple of 4, n a multiple of 2; m*words, n*words
//           and m*n below 2^31; sm_80
// A word holds two bf16 or f16, one tf32 (a float) or four s8. c holds
// floats; for s8, ints.
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
#define BK 32
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef GROUP
#define GROUP 8
#endif
#define PRODUCT_bf16 "m16n8k16.row.col.f32.bf16.bf16.f32"
#define PRODUCT_f16 "m16n8k16.row.col.f32.f16.f16.f32"
#define PRODUCT_tf32 "m16n8k8.row.col.f32.tf32.tf32.f32"
#define PRODUCT_s8 "m16n8k32.row.col.s32.s8.s8.s32"
#define JOIN_OF(left, right) left##right
#define JOIN(left, right) JOIN_OF(left, right)
constexpr int THREADS = BM / WM * (BN / WN) * 32;
constexpr int RUN = 4;                             // words of 16 bytes
constexpr int A_BYTES = 4 * BM * BK, B_BYTES = 4 * BN * BK;   // of a tile
constexpr int DOWN = THREADS / (BK / RUN);   // rows from one copy of a
                                             // thread to its next
static_assert(BK % 32 == 0, "eight runs change places");
static_assert(DOWN % 8 == 0 && BM % DOWN == 0 && BN % DOWN == 0,
              "every copy swizzles as the first");

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

// Where a tile keeps a word, in bytes: runs of 4 change places, in each
// row in another way.
__device__ __forceinline__ unsigned int place(int row, int word)
{
    return 4 * (row * BK + (word ^ row % 8 * 4));
}

// Starts a copy to shared memory and goes on; zeros where not inside.
__device__ __forceinline__
void copy(unsigned int to, const unsigned int* from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;"
                 :: "r"(to), "l"(from), "n"(16), "r"(inside ? 16 : 0)
                 : "memory");
}

// 16 rows, 8 words: four matrices of 8 rows and 4 words.
__device__ __forceinline__
void read_matrices(unsigned int (&frag)[4], unsigned int address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3},"
                 " [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"(address) : "memory");
}

// acc += a * b: 16 x 8 of c from 16 x 8 words of a and 8 x 8 of b.
__device__ __forceinline__ void multiply(
    unsigned int (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm("mma.sync.aligned." JOIN(PRODUCT_, TYPE)
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Stores two neighbours, if they lie inside.
__device__ __forceinline__ void store(
    unsigned int* c, int row, int col, int m, int n,
    unsigned int left, unsigned int right)
{
    if (row < m && col < n)
        *reinterpret_cast<uint2*>(c + (size_t)row * n + col) =
            make_uint2(left, right);
}

extern "C" __global__
void __launch_bounds__(THREADS) tensor_cores_types(
    const unsigned int* __restrict__ a,   // [m, words]
    const unsigned int* __restrict__ b,   // [n, words]
    unsigned int* __restrict__ c,         // [m, n]
    int m, int n, int words)
{
    // The stages of a, then those of b.
    extern __shared__ __align__(1024) unsigned int tiles[];
    const unsigned int a_tiles = __cvta_generic_to_shared(tiles),
                       b_tiles = a_tiles + STAGES * A_BYTES;
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    // A group is GROUP rows of tiles; blocks go down its columns.
    const int tiles_m = (m + BM - 1) / BM, tiles_n = (n + BN - 1) / BN;
    const int group = blockIdx.x / (GROUP * tiles_n),
              inside = blockIdx.x % (GROUP * tiles_n);
    const int high = min(GROUP, tiles_m - group * GROUP);
    const int row0 = (group * GROUP + inside % high) * BM,
              col0 = inside / high * BN;
    const int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    unsigned int acc[WM / 16][WN / 8][4] = {};
    // Of this thread's first copies: from where, to where; and how much of
    // a and b is left from there on.
    const int row = tid / (BK / RUN), word = tid % (BK / RUN) * RUN;
    const unsigned int* a_from = a + (size_t)(row0 + row) * words + word;
    const unsigned int* b_from = b + (size_t)(col0 + row) * words + word;
    const unsigned int a_to = a_tiles + place(row, word),
                       b_to = b_tiles + place(row, word);
    const int a_rows = m - row0 - row, b_rows = n - col0 - row;
    int left = words - word;
    auto fetch_stage = [&](int stage) {   // zeros past the ends
        for (int t = 0; t < BM / DOWN; ++t)
            copy(a_to + stage * A_BYTES + t * DOWN * BK * 4,
                 a_from + t * DOWN * words, left > 0 && t * DOWN < a_rows);
        for (int t = 0; t < BN / DOWN; ++t)
            copy(b_to + stage * B_BYTES + t * DOWN * BK * 4,
                 b_from + t * DOWN * words, left > 0 && t * DOWN < b_rows);
        asm volatile("cp.async.commit_group;" ::: "memory");
        a_from += BK; b_from += BK; left -= BK;
    };
    // What this lane reads first. Further along a row is another XOR.
    const unsigned int
        a_at = a_tiles + place(my_row + lane % 16, lane / 16 * 4),
        b_at = b_tiles + place(my_col + lane / 16 * 8 + lane % 8,
                               lane / 8 % 2 * 4);
    unsigned int a_frag[2][WM / 16][4], b_frag[2][WN / 16][4];
    auto read = [&](int stage, int step) {   // 8 words, into set step % 2
        for (int y = 0; y < WM / 16; ++y)
            read_matrices(a_frag[step % 2][y], (a_at ^ 32 * step)
                          + stage * A_BYTES + y * 16 * BK * 4);
        for (int x = 0; x < WN / 16; ++x)
            read_matrices(b_frag[step % 2][x], (b_at ^ 32 * step)
                          + stage * B_BYTES + x * 16 * BK * 4);
    };
    for (int stage = 0; stage < STAGES - 1; ++stage) fetch_stage(stage);
    wait_for_stage();
    read(0, 0);
    int stage = 0, into = STAGES - 1;
    for (int k0 = 0; k0 < words; k0 += BK) {
        #pragma unroll
        for (int step = 0; step < BK / 8; ++step) {
            // At the last step, the next fragments are the next tile's.
            if (step == BK / 8 - 1) {
                wait_for_stage();
                stage = after(stage);
            }
            read(stage, (step + 1) % (BK / 8));
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

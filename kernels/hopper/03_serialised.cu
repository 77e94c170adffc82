// hopper/03_serialised: a line touches a sum while products are under way.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  + acc[0] += nothing                  (from 03_groups)
// Launch:   block (256), grid (ceil(n/256), ceil(m/128)),
//           shared_bytes STAGES*(49152 + 8)
// Defines:  STAGES = 4
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
// Assumes:  k and n multiples of 8; sm_90a
#ifndef STAGES
#define STAGES 4
#endif
struct alignas(64) TensorMap { unsigned long long words[16]; };
constexpr int BM = 128, BN = 256, BK = 64;   // of a block
constexpr int BOX = 64 * 64 * 2;            // bytes
constexpr int A_BYTES = BM / 64 * BOX, B_BYTES = BN / 64 * BOX;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;

__device__ __forceinline__ void make_barrier(unsigned int barrier, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(barrier), "r"(count) : "memory");
}

// Arrives, and announces bytes: the phase lasts until they have landed, too.
__device__ __forceinline__ void expect(unsigned int barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(barrier), "r"(bytes) : "memory");
}

// Waits until the phase of this parity is over.
__device__ __forceinline__ void wait(unsigned int barrier, int parity)
{
    asm volatile("{ .reg .pred over;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64"
                 " over, [%0], %1;\n"
                 "@!over bra again; }"
                 :: "r"(barrier), "r"(parity) : "memory");
}

// Copies the box of 64 x 64 that begins at (row, col); zeros where the
// matrix ends.
__device__ __forceinline__ void fetch(
    unsigned int to, const TensorMap& map, int row, int col,
    unsigned int full)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&map), "r"(col), "r"(row), "r"(full)
                 : "memory");
}

// Tells wgmma where a matrix lies: rows of 128 bytes, eight of them 1024
// bytes, their pieces of 16 bytes exchanged; 64 columns on is the next box.
// (In a cluster an address has the block's number in its upper bits.)
__device__ __forceinline__ unsigned long long matrix(unsigned int address)
{
    return (address & 0x3ffff) >> 4 | (unsigned long long)(BOX >> 4) << 16
        | 1024ull >> 4 << 32 | 1ull << 62;
}

#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, " \
    "%" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define FOUR(i) "+f"(acc[i]), "+f"(acc[i + 1]), "+f"(acc[i + 2]), \
    "+f"(acc[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// acc += a * b: 64 x 256 of c from 64 x 16 of a and 16 x 256 of b, which
// lies in memory row by row (the last 1).
__device__ __forceinline__ void multiply(
    float (&acc)[128], unsigned long long a, unsigned long long b)
{
    asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
        TEN(10) TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127},"
        " %128, %129, add, 1, 1, 0, 1; }"
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64),
          SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)
        : "l"(a), "l"(b));
}

// acc += a * b of one stage: 64 of k, 16 at a time.
__device__ __forceinline__ void multiply_stage(
    float (&acc)[128], unsigned int a_tile, unsigned int b_tile)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int i = 0; i < BK; i += 16)
        multiply(acc, matrix(a_tile + 2 * i), matrix(b_tile + 128 * i));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most this many stages' products are under way.
template <int LEFT>
__device__ __forceinline__ void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory");
}

// Rounds two neighbours into one word.
__device__ __forceinline__ unsigned int round_two(float left, float right)
{
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(right), "f"(left));
    return both;
}

// Rounds and stores a warp group's 64 x 256 of c; a thread has pairs.
__device__ __forceinline__ void store(
    unsigned short* c, const float (&acc)[128], int row0, int col0,
    int m, int n)
{
    const int lane = threadIdx.x % 32;
    row0 += threadIdx.x % 128 / 32 * 16 + lane / 4;
    col0 += lane % 4 * 2;
    #pragma unroll
    for (int i = 0; i < 128; i += 2) {
        const int row = row0 + i / 2 % 2 * 8, col = col0 + i / 4 * 8;
        if (row < m && col < n)
            *reinterpret_cast<unsigned int*>(c + (size_t)row * n + col) =
                round_two(acc[i], acc[i + 1]);
    }
}

// A place in the ring: a stage, and the parity of the phase it is in.
struct Turn {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void next()
    {
        if (++stage == STAGES) { stage = 0; parity ^= 1; }
    }
};

extern "C" __global__
void __launch_bounds__(256) hopper_serialised(
    const __grid_constant__ TensorMap a_map,   // [m, k]
    const __grid_constant__ TensorMap b_map,   // [k, n]
    unsigned short* __restrict__ c,            // [m, n]
    int m, int n, int k)
{
    // The stages, each a's tile and b's; then their barriers.
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int ring = __cvta_generic_to_shared(memory),
                       full = ring + STAGES * STAGE_BYTES;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int steps = (k + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage)
            make_barrier(full + 8 * stage, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto fetch_stage = [&](int step) {   // by one thread
        const unsigned int at = ring + step % STAGES * STAGE_BYTES,
                           barrier = full + step % STAGES * 8;
        expect(barrier, STAGE_BYTES);
        for (int y = 0; y < BM / 64; ++y)
            fetch(at + y * BOX, a_map, row0 + 64 * y, BK * step, barrier);
        for (int x = 0; x < BN / 64; ++x)
            fetch(at + A_BYTES + x * BOX, b_map, BK * step, col0 + 64 * x,
                  barrier);
    };
    if (threadIdx.x == 0)
        for (int step = 0; step < min(STAGES - 1, steps); ++step)
            fetch_stage(step);
    const int group = threadIdx.x / 128;
    const float nothing = m < 0;   // the compiler does not know that
    float acc[128] = {};
    Turn turn;
    for (int step = 0; step < steps; ++step) {
        const unsigned int at = ring + turn.stage * STAGE_BYTES;
        wait(full + 8 * turn.stage, turn.parity);
        multiply_stage(acc, at + group * BOX, at + A_BYTES);
        acc[0] += nothing;
        wait_for_products<1>();   // the step before has been multiplied
        __syncthreads();          // in all warps: its stage is free
        if (threadIdx.x == 0 && step + STAGES - 1 < steps)
            fetch_stage(step + STAGES - 1);
        turn.next();
    }
    wait_for_products<0>();
    store(c, acc, row0 + 64 * group, col0, m, n);
}

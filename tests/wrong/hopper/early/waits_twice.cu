// Wrong: waits for the newest products as well, at once.
constexpr int STAGES = 3;
constexpr int TILE = 64 * 64 * 2;   // bytes of a tile

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

// Copies a packed tile; the barrier counts its bytes.
__device__ __forceinline__ void fetch(
    unsigned int to, const unsigned short* from, unsigned int barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(to), "l"(from), "n"(TILE), "r"(barrier) : "memory");
}

// Tells wgmma where a matrix lies, without a swizzle: eight rows of 16 bytes
// to 128 bytes, eight further rows behind them; 8 columns on is 1024 bytes.
__device__ __forceinline__ unsigned long long matrix(unsigned int address)
{
    return (address & 0x3ffff) >> 4 | 1024ull >> 4 << 16 | 128ull >> 4 << 32;
}

#define FOUR(i) "+f"(acc[i]), "+f"(acc[i + 1]), "+f"(acc[i + 2]), \
    "+f"(acc[i + 3])

// acc += a * b: 64 x 64 of c from 64 x 16 of a and 64 x 16 of b.
__device__ __forceinline__ void multiply(
    float (&acc)[32], unsigned long long a, unsigned long long b)
{
    asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31}, %32, %33, add, 1, 1, 0, 0; }"
        : FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24),
          FOUR(28)
        : "l"(a), "l"(b));
}

// acc += a * b of a tile: 64 of k, 16 at a time.
__device__ __forceinline__ void multiply_stage(
    float (&acc)[32], unsigned int a_tile, unsigned int b_tile)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int i = 0; i < 64; i += 16)
        multiply(acc, matrix(a_tile + 128 * i), matrix(b_tile + 128 * i));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most this many stages' products are under way.
template <int LEFT>
__device__ __forceinline__ void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory");
}

// Stores a warp group's 64 x 64 of c; a thread has pairs.
__device__ __forceinline__ void store(
    float* c, const float (&acc)[32], int row0, int col0, int n)
{
    const int lane = threadIdx.x % 32;
    row0 += threadIdx.x / 32 * 16 + lane / 4;
    col0 += lane % 4 * 2;
    #pragma unroll
    for (int i = 0; i < 32; i += 2) {
        const int row = row0 + i / 2 % 2 * 8, col = col0 + i / 4 * 8;
        *reinterpret_cast<float2*>(c + (size_t)row * n + col) =
            make_float2(acc[i], acc[i + 1]);
    }
}

extern "C" __global__
void __launch_bounds__(128) hopper_early(
    const unsigned short* __restrict__ a,   // [m/64, k/64] tiles
    const unsigned short* __restrict__ b,   // [n/64, k/64] tiles
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // The stages, each a's tile and b's; then their barriers.
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned int ring = __cvta_generic_to_shared(memory),
                       full = ring + STAGES * 2 * TILE;
    const int steps = k / 64;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage)
            make_barrier(full + 8 * stage, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto fetch_stage = [&](int step) {   // by one thread
        const unsigned int at = ring + step % STAGES * 2 * TILE,
                           barrier = full + step % STAGES * 8;
        expect(barrier, 2 * TILE);
        fetch(at, a + ((size_t)blockIdx.y * steps + step) * 4096, barrier);
        fetch(at + TILE, b + ((size_t)blockIdx.x * steps + step) * 4096,
              barrier);
    };
    // YOUR CODE 1: how many steps are asked for before the loop
    const int ahead = STAGES - 1;
    if (threadIdx.x == 0)
        for (int step = 0; step < min(ahead, steps); ++step)
            fetch_stage(step);
    float acc[32] = {};
    for (int step = 0; step < steps; ++step) {
        const unsigned int at = ring + step % STAGES * 2 * TILE;
        wait(full + step % STAGES * 8, step / STAGES % 2);
        multiply_stage(acc, at, at + TILE);
        wait_for_products<1>(); wait_for_products<0>();
        __syncthreads();
        // YOUR CODE 2: ask for a later step
        if (threadIdx.x == 0 && step + 2 < steps)
            fetch_stage(step + 2);
    }
    wait_for_products<0>();
    store(c, acc, blockIdx.y * 64, blockIdx.x * 64, n);
}

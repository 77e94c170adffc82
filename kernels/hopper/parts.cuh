// hopper/parts: what this topic's kernels share: barriers, copies of boxes,
//     products of a warp group, and a tile's way back to memory.
//
// Addresses of shared memory are numbers here, as PTX takes them. A box is
// 64 x 64 numbers in bfloat16, swizzled: rows of 128 bytes whose pieces of
// 16 bytes are exchanged. All that is for Hopper alone: sm_90a.
struct alignas(64) TensorMap { unsigned long long words[16]; };
constexpr int BOX = 64 * 64 * 2;   // bytes

// Barriers ------------------------------------------------------------------
__device__ __forceinline__ void make_barrier(unsigned int barrier, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(barrier), "r"(count) : "memory");
}

// Copies, and other blocks of a cluster, know the barriers made so far.
__device__ __forceinline__ void publish_barriers()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrives, and announces bytes: the phase lasts until they have landed, too.
__device__ __forceinline__ void expect(unsigned int barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(unsigned int barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :: "r"(barrier) : "memory");
}

// Arrives at the barrier in the same place of a block of the cluster.
__device__ __forceinline__ void arrive(unsigned int barrier, int block)
{
    asm volatile("{ .reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }"
                 :: "r"(barrier), "r"(block) : "memory");
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

// The barrier of one warp group's 128 threads.
__device__ __forceinline__ void sync_group(int group)
{
    asm volatile("bar.sync %0, 128;" :: "r"(1 + group) : "memory");
}

// A place in a ring: a stage, and the parity of the phase it is in.
template <int COUNT>
struct Turn {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void next()
    {
        if (++stage == COUNT) { stage = 0; parity ^= 1; }
    }
};

// A warp group hands registers back, or asks for more: COUNT a thread.
template <int COUNT>
__device__ __forceinline__ void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(COUNT));
}

template <int COUNT>
__device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(COUNT));
}

// Copies of boxes -----------------------------------------------------------
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

// The same, to the same place in all blocks of a cluster of so many, whose
// barriers each count the bytes.
template <int BLOCKS>
__device__ __forceinline__ void fetch_for_all(
    unsigned int to, const TensorMap& map, int row, int col,
    unsigned int full)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(to), "l"(&map), "r"(col), "r"(row), "r"(full),
                    "h"((short)((1 << BLOCKS) - 1)) : "memory");
}

// Copies a box of 64 x 64 to (row, col); what lies outside stays out.
__device__ __forceinline__ void store_box(
    const TensorMap& map, unsigned int from, int row, int col)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
                 " [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(col), "r"(row), "r"(from) : "memory");
}

// What threads have written to shared memory, store_box reads.
__device__ __forceinline__ void publish_boxes()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void commit_stores()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until the boxes of this thread's stores have been read: they are
// free, while the stores may still be under way.
__device__ __forceinline__ void wait_for_boxes()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Products of a warp group --------------------------------------------------
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

// acc += a * b: 64 x COLS of c from 64 x 16 of a and 16 x COLS of b, which
// lies in memory row by row (the last 1). With `add`: acc = a * b where it
// is 0.
#define PRODUCT(COLS, NUMBERS, ADD, ...) \
    __device__ __forceinline__ void multiply( \
        float (&acc)[COLS / 2], unsigned long long a, unsigned long long b) \
    { \
        asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n" #COLS "k16.f32.bf16.bf16 {" \
            NUMBERS ", add, 1, 1, 0, 1; }" : __VA_ARGS__ : "l"(a), "l"(b)); \
    } \
    __device__ __forceinline__ void multiply( \
        float (&acc)[COLS / 2], unsigned long long a, unsigned long long b, \
        int add) \
    { \
        asm volatile("{ .reg .pred add; setp.ne.s32 add, " ADD ", 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n" #COLS "k16.f32.bf16.bf16 {" \
            NUMBERS ", add, 1, 1, 0, 1; }" : __VA_ARGS__ : "l"(a), "l"(b), \
              "r"(add)); \
    }
PRODUCT(64, TEN() TEN(1) TEN(2) "%30, %31}, %32, %33", "%34",
        SIXTEEN(0), SIXTEEN(16))
PRODUCT(128, TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
        "%60, %61, %62, %63}, %64, %65", "%66",
        SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48))
PRODUCT(192, TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8)
        "%90, %91, %92, %93, %94, %95}, %96, %97", "%98",
        SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64),
        SIXTEEN(80))
PRODUCT(256, TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8)
        TEN(9) TEN(10) TEN(11) "%120, %121, %122, %123, %124, %125, %126,"
        " %127}, %128, %129", "%130",
        SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64),
        SIXTEEN(80), SIXTEEN(96), SIXTEEN(112))

// acc += a * b of one stage: 64 of k, 16 at a time.
template <int SUMS>
__device__ __forceinline__ void multiply_stage(
    float (&acc)[SUMS], unsigned int a_tile, unsigned int b_tile)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int i = 0; i < 64; i += 16)
        multiply(acc, matrix(a_tile + 2 * i), matrix(b_tile + 128 * i));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// The same; step 0 begins a sum.
template <int SUMS>
__device__ __forceinline__ void multiply_stage(
    float (&acc)[SUMS], unsigned int a_tile, unsigned int b_tile, int step)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int i = 0; i < 64; i += 16)
        multiply(acc, matrix(a_tile + 2 * i), matrix(b_tile + 128 * i),
                 step + i);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most this many stages' products are under way.
template <int LEFT>
__device__ __forceinline__ void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory");
}

// A tile's way back to memory -----------------------------------------------
// Rounds two neighbours into one word.
__device__ __forceinline__ unsigned int round_two(float left, float right)
{
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(right), "f"(left));
    return both;
}

// Rounds and stores a warp group's 64 x 256 of c; a thread has pairs.
__device__ __forceinline__ void store_tile(
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

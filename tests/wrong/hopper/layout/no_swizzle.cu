// Wrong: another place(), with no swizzle at all.
constexpr int TILE = 64 * 64 * 2;   // bytes of a tile

// Where a tile keeps a piece of 16 bytes, 8 columns: two boxes of 32 columns,
// one behind the other, their rows 64 bytes.
__device__ __forceinline__ int place(int row, int piece)
{
    const int at = piece * 1024 + row * 16;
    return at;
}

// Lays 64 rows and 64 columns of a matrix into shared memory.
__device__ __forceinline__ void lay(
    unsigned char* tile, const unsigned short* from, int k)
{
    for (int i = threadIdx.x; i < 512; i += 128)
        *reinterpret_cast<uint4*>(tile + place(i / 8, i % 8)) =
            *reinterpret_cast<const uint4*>(from + (size_t)(i / 8) * k
                                            + i % 8 * 8);
}

// Tells wgmma where a matrix lies.
__device__ __forceinline__ unsigned long long matrix(unsigned int address)
{
    const unsigned long long start = (address & 0x3ffff) >> 4;
    // YOUR CODE 1: bytes from eight rows to the next; the mode
    return start | 1024ull >> 4 << 16 | 128ull >> 4 << 32;
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
__device__ __forceinline__ void multiply_tile(
    float (&acc)[32], unsigned int a_tile, unsigned int b_tile)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int i = 0; i < 64; i += 16) {
        // YOUR CODE 2: where the columns from i on begin, in bytes
        const int begin = 128 * i;
        multiply(acc, matrix(a_tile + begin), matrix(b_tile + begin));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
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
void __launch_bounds__(128) hopper_layout(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [n, k]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    __shared__ __align__(1024) unsigned char a_tile[TILE], b_tile[TILE];
    const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[32] = {};
    for (int k0 = 0; k0 < k; k0 += 64) {
        lay(a_tile, a + (size_t)row0 * k + k0, k);
        lay(b_tile, b + (size_t)col0 * k + k0, k);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        multiply_tile(acc, __cvta_generic_to_shared(a_tile),
                      __cvta_generic_to_shared(b_tile));
        __syncthreads();
    }
    store(c, acc, row0, col0, n);
}

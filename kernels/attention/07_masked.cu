// attention/07_masked: what a query must not look at is minus infinity
//     before the scores are stored.
//
// scores[h, i, j] = scale * (q[h, i, :] . k[h, j, :]), or -infinity where
//                   j >= n - padding[h], or CAUSAL and j > i
//
// Changed:  a kernel of its own -> a comparison        (from 06_scaled)
// Launch:   block (256), grid (ceil(pitch/128), ceil(n/128), heads)
// Defines:  CAUSAL = 1
// Cost:     heads*(512*n + 4*n*n) bytes, 256*heads*n*n flops
// Assumes:  sm_80; heads of 128 elements; pitch a multiple of 8, at least n
#ifndef CAUSAL
#define CAUSAL 1
#endif
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0
constexpr int D = 128, THREADS = 256;
constexpr int BM = 128, BN = 128, BK = 64;   // of a block
constexpr int WM = 64, WN = 32;              // of a warp

// Where a row of 64 keeps an element: runs of 8 change places.
__device__ __forceinline__ int place(int row, int col)
{
    return row * 64 + (col ^ row % 8 * 8);
}

// Copies 64 columns of a tile's rows to shared memory; zeros where they end.
template <int ROWS>
__device__ __forceinline__ void fetch(
    unsigned short* tile, const unsigned short* from, long long stride,
    int row0, int col0, int rows, int cols)
{
    constexpr int TURNS = ROWS * 8 / THREADS, DOWN = THREADS / 8;
    int row = threadIdx.x / 8, col = threadIdx.x % 8 * 8;
    uint4 held[TURNS];   // all loads are on their way before the first store
    #pragma unroll
    for (int t = 0; t < TURNS; ++t) {
        int at = row0 + row + t * DOWN;
        bool inside = at < rows && col0 + col < cols;
        held[t] = inside ? __ldg(reinterpret_cast<const uint4*>(
                               from + at * stride + col0 + col))
                         : uint4{};
    }
    #pragma unroll
    for (int t = 0; t < TURNS; ++t)
        *reinterpret_cast<uint4*>(tile + place(row + t * DOWN, col)) =
            held[t];
}

// 16 x 16 of a tile: four 8 x 8 matrices. A lane gives the address of a row.
__device__ __forceinline__ void read(
    unsigned (&frag)[4], const unsigned short* tile, int row0, int col0)
{
    int lane = threadIdx.x % 32;
    int row = row0 + lane % 16, col = col0 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3},"
                 " [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"((unsigned)__cvta_generic_to_shared(
                       tile + place(row, col)))
                 : "memory");
}

// acc += a * b: 16 x 8 of a product from 16 x 16 of a and 16 x 8 of b.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__
void __launch_bounds__(THREADS) attention_masked(
    const unsigned short* __restrict__ q,   // [heads, n, 128], bfloat16
    const unsigned short* __restrict__ k,   // [heads, n, 128]
    const int* __restrict__ padding,        // [heads], each from 0 to n
    float* __restrict__ scores,             // [heads, n, pitch]
    int heads, int n, int pitch, float scale)
{
    __shared__ alignas(128) unsigned short q_tile[BM * BK], k_tile[BN * BK];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, h = blockIdx.z;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    long long first = (long long)h * n;
    int length = n - padding[h];
    float acc[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < D; k0 += BK) {
        fetch<BM>(q_tile, q + first * D, D, row0, k0, n, D);
        fetch<BN>(k_tile, k + first * D, D, col0, k0, n, D);
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < BK; i += 16) {
            unsigned q_frag[WM / 16][4], k_frag[WN / 16][4];
            for (int y = 0; y < WM / 16; ++y)
                read(q_frag[y], q_tile, my_row + 16 * y, i);
            for (int x = 0; x < WN / 16; ++x)
                read(k_frag[x], k_tile, my_col + 16 * x, i);
            for (int y = 0; y < WM / 16; ++y)
                for (int x = 0; x < WN / 8; ++x)
                    multiply(acc[y][x], q_frag[y], k_frag[x / 2][x % 2],
                             k_frag[x / 2][x % 2 + 2]);
        }
        __syncthreads();
    }
    #pragma unroll
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 8; ++x)
            for (int half = 0; half < 2; ++half) {
                int row = row0 + my_row + 16 * y + 8 * half + lane / 4;
                int col = col0 + my_col + 8 * x + lane % 4 * 2;
                float2 pair = {scale * acc[y][x][2 * half],
                               scale * acc[y][x][2 * half + 1]};
                int count = CAUSAL ? min(row + 1, length) : length;
                if (col >= count) pair.x = NOTHING;
                if (col + 1 >= count) pair.y = NOTHING;
                if (row < n && col < pitch)
                    *reinterpret_cast<float2*>(
                        scores + (first + row) * pitch + col) = pair;
            }
}

// attention/11_parts: each row of a tile leaves its maximum, and the sum that
//     goes with it, beside the scores.
//
// scores[h, i, j] = as in 08_triangle
// parts[h, i, tile] = {max, sum of exp(score - max)} over 128 scores; as it
//                     was, where none counts
//
// Changed:  maximum and sum of each row of a tile      (from 08_triangle)
// Launch:   block (256), grid (ceil(pitch/128), ceil(n/128), heads)
// Defines:  CAUSAL = 1
// Cost:     heads*(512*n + 4*n*n) bytes, 256*heads*n*n flops
// Assumes:  sm_80; heads of 128 elements; pitch a multiple of 8, at least n
#ifndef CAUSAL
#define CAUSAL 1
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
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

// The maximum, or the sum, over the four lanes that have one row.
__device__ __forceinline__ float row_max(float value)
{
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, 1));
    return fmaxf(value, __shfl_xor_sync(0xffffffff, value, 2));
}

__device__ __forceinline__ float row_sum(float value)
{
    value += __shfl_xor_sync(0xffffffff, value, 1);
    return value + __shfl_xor_sync(0xffffffff, value, 2);
}

extern "C" __global__
void __launch_bounds__(THREADS) attention_parts(
    const unsigned short* __restrict__ q,   // [heads, n, 128], bfloat16
    const unsigned short* __restrict__ k,   // [heads, n, 128]
    const int* __restrict__ padding,        // [heads], each from 0 to n
    float* __restrict__ scores,             // [heads, n, pitch]
    float* __restrict__ parts,              // [heads, n, ceil(n/128), 2]
    int heads, int n, int pitch, float scale)
{
    __shared__ alignas(128) unsigned short q_tile[BM * BK], k_tile[BN * BK];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, h = blockIdx.z;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    long long first = (long long)h * n;
    int length = n - padding[h];
    int most = CAUSAL ? min(row0 + BM, length) : length;
    bool any = col0 < most;   // of the tile's scores counts
    float acc[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < (any ? D : 0); k0 += BK) {
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
    __shared__ float maxes[BN / WN][BM], sums[BN / WN][BM];
    #pragma unroll
    for (int y = 0; y < WM / 16; ++y)
        #pragma unroll
        for (int half = 0; half < 2; ++half) {
            int in_tile = my_row + 16 * y + 8 * half + lane / 4;
            int row = row0 + in_tile;
            int count = CAUSAL ? min(row + 1, length) : length;
            float max = LOWEST, sum = 0.0f;
            #pragma unroll
            for (int x = 0; x < WN / 8; ++x) {
                int col = col0 + my_col + 8 * x + lane % 4 * 2;
                float2 pair = {scale * acc[y][x][2 * half],
                               scale * acc[y][x][2 * half + 1]};
                if (col >= count) pair.x = NOTHING;
                if (col + 1 >= count) pair.y = NOTHING;
                if (any && row < n && col < pitch)
                    *reinterpret_cast<float2*>(
                        scores + (first + row) * pitch + col) = pair;
                max = fmaxf(max, fmaxf(pair.x, pair.y));
                acc[y][x][2 * half] = pair.x;
                acc[y][x][2 * half + 1] = pair.y;
            }
            max = row_max(max);
            #pragma unroll
            for (int x = 0; x < WN / 8; ++x)
                sum += __expf(acc[y][x][2 * half] - max)
                       + __expf(acc[y][x][2 * half + 1] - max);
            sum = row_sum(sum);
            maxes[my_col / WN][in_tile] = max;
            sums[my_col / WN][in_tile] = sum;
        }
    __syncthreads();
    int row = row0 + threadIdx.x;
    if (any && threadIdx.x < BM && row < n) {
        float max = LOWEST, sum = 0.0f;
        for (int w = 0; w < BN / WN; ++w)
            max = fmaxf(max, maxes[w][threadIdx.x]);
        for (int w = 0; w < BN / WN; ++w)
            sum += sums[w][threadIdx.x]
                   * __expf(maxes[w][threadIdx.x] - max);
        int tiles = (n + BN - 1) / BN;
        float2* part = reinterpret_cast<float2*>(parts);
        part[(first + row) * tiles + blockIdx.x] = {max, sum};
    }
}

// attention/12_weighted: the scores become weights on their way into shared
//     memory; no kernel for the softmax is left.
//
// lse[h, i] = log(sum over j of exp(scores[h, i, j])), from 11_parts' parts
// out[h, i, :] = sum over j of exp(scores[h, i, j] - lse[h, i]) * v[h, j, :]
//
// Changed:  weights from memory -> scores and parts    (from 10_to_diagonal)
// Launch:   block (256), grid (heads, ceil(n/128))
// Defines:  CAUSAL = 1, LONGEST_FIRST = 1
// Cost:     heads*(768*n + 2*n*n) bytes, 256*heads*n*n flops
// Assumes:  sm_80; heads of 128 elements; pitch a multiple of 8, at least n
#ifndef CAUSAL
#define CAUSAL 1
#endif
#ifndef LONGEST_FIRST
#define LONGEST_FIRST 1
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0
constexpr int D = 128, THREADS = 256;
constexpr int BM = 128, BK = 64;   // of a block
constexpr int WM = 64, WN = 32;    // of a warp

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

// The same, and each of the four matrices comes transposed.
__device__ __forceinline__ void read_turned(
    unsigned (&frag)[4], const unsigned short* tile, int row0, int col0)
{
    int lane = threadIdx.x % 32;
    int row = row0 + lane % 16, col = col0 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                 " {%0, %1, %2, %3}, [%4];"
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

// Two floats as two bfloat16, the first one in the lower half.
__device__ __forceinline__ unsigned pack(float first, float second)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(second), "f"(first));
    return both;
}

// Log-sum-exp of a row, from the parts of the tiles that count.
__device__ __forceinline__ float merged(const float2* part, int tiles)
{
    float max = LOWEST, sum = 0.0f;
    for (int i = 0; i < tiles; ++i) max = fmaxf(max, part[i].x);
    for (int i = 0; i < tiles; ++i)
        sum += part[i].y * __expf(part[i].x - max);
    return max + logf(sum);
}

// 64 columns of a tile's scores, as weights. Behind `end` they are zeros.
__device__ __forceinline__ void fetch_weights(
    unsigned short* tile, const float* from, const float* row_lse,
    int pitch, int row0, int col0, int rows, int end)
{
    constexpr int TURNS = BM * 8 / THREADS, DOWN = THREADS / 8;
    int row = threadIdx.x / 8, col = threadIdx.x % 8 * 8;
    const float4 none = {NOTHING, NOTHING, NOTHING, NOTHING};
    float4 held[TURNS][2];   // all loads are on their way before exp
    #pragma unroll
    for (int t = 0; t < TURNS; ++t) {
        int at = row0 + row + t * DOWN;
        bool inside = at < rows && col0 + col < end;
        const float4* words = reinterpret_cast<const float4*>(
            from + (long long)at * pitch + col0 + col);
        #pragma unroll
        for (int half = 0; half < 2; ++half)
            held[t][half] = inside ? __ldg(words + half) : none;
    }
    #pragma unroll
    for (int t = 0; t < TURNS; ++t) {
        float lse = row_lse[row + t * DOWN];
        unsigned pairs[4];
        #pragma unroll
        for (int half = 0; half < 2; ++half) {
            float4 s = held[t][half];
            pairs[2 * half] = pack(__expf(s.x - lse), __expf(s.y - lse));
            pairs[2 * half + 1] = pack(__expf(s.z - lse), __expf(s.w - lse));
        }
        *reinterpret_cast<uint4*>(tile + place(row + t * DOWN, col)) =
            {pairs[0], pairs[1], pairs[2], pairs[3]};
    }
}

extern "C" __global__
void __launch_bounds__(THREADS, 2) attention_weighted(
    const float* __restrict__ scores,        // [heads, n, pitch]
    const float* __restrict__ parts,         // [heads, n, ceil(n/128), 2]
    const unsigned short* __restrict__ v,    // [heads, n, 128], bfloat16
    const int* __restrict__ padding,         // [heads], each from 0 to n
    float* __restrict__ out,                 // [heads, n, 128]
    float* __restrict__ lse,                 // [heads, n]
    int heads, int n, int pitch)
{
    // Two tiles of 64 columns hold the 128 elements of a value.
    __shared__ alignas(128) unsigned short p_tile[BM * BK], v_tile[BK * D];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, h = blockIdx.x;
    int tile = LONGEST_FIRST ? gridDim.y - 1 - blockIdx.y : blockIdx.y;
    int row0 = tile * BM;
    int my_row = warp / (D / WN) * WM, my_col = warp % (D / WN) * WN;
    const unsigned short* my_v = v_tile + my_col / 64 * (BK * 64);
    long long first = (long long)h * n;
    int length = n - padding[h];
    int end = CAUSAL ? min(row0 + BM, length) : length;
    __shared__ float row_lse[BM];
    int tiles = (n + 127) / 128, row = row0 + threadIdx.x;
    if (threadIdx.x < BM && row < n) {
        const float2* part = reinterpret_cast<const float2*>(parts);
        float value = merged(part + (first + row) * tiles, (end + 127) / 128);
        row_lse[threadIdx.x] = fmaxf(value, LOWEST);   // no key: no NaN
        lse[first + row] = value;
    }
    if (threadIdx.x < BM && row >= n) row_lse[threadIdx.x] = 0.0f;
    __syncthreads();
    float acc[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < end; k0 += BK) {
        fetch_weights(p_tile, scores + first * pitch, row_lse, pitch, row0,
                      k0, n, end);
        fetch<BK>(v_tile, v + first * D, D, k0, 0, n, D);
        fetch<BK>(v_tile + BK * 64, v + first * D, D, k0, 64, n, D);
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < BK; i += 16) {
            unsigned p_frag[WM / 16][4], v_frag[WN / 16][4];
            for (int y = 0; y < WM / 16; ++y)
                read(p_frag[y], p_tile, my_row + 16 * y, i);
            for (int x = 0; x < WN / 16; ++x)
                read_turned(v_frag[x], my_v, i, my_col % 64 + 16 * x);
            for (int y = 0; y < WM / 16; ++y)
                for (int x = 0; x < WN / 8; ++x)
                    multiply(acc[y][x], p_frag[y], v_frag[x / 2][x % 2 * 2],
                             v_frag[x / 2][x % 2 * 2 + 1]);
        }
        __syncthreads();
    }
    #pragma unroll
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 8; ++x)
            for (int half = 0; half < 2; ++half) {
                int row = row0 + my_row + 16 * y + 8 * half + lane / 4;
                int col = my_col + 8 * x + lane % 4 * 2;
                float2 pair = {acc[y][x][2 * half], acc[y][x][2 * half + 1]};
                if (row < n)
                    *reinterpret_cast<float2*>(
                        out + (first + row) * D + col) = pair;
            }
}

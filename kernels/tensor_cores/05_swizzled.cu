// tensor_cores/05_swizzled: XOR a run's number with the row's: eight rows
//     of a matrix lie in different banks.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  col -> col ^ row % 8 * 8          (from 04_ldmatrix)
// Launch:   block (256), grid (ceil(n/128), ceil(m/128))
// Defines:  TYPE = bf16, VEC = 8
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  k and n multiples of VEC (8, 4, 2 or 1); m*k, k*n and m*n
//           below 2^31; sm_80
// TYPE is bf16 or f16; to C++ both are 16 bits.
#ifndef TYPE
#define TYPE bf16
#endif
#ifndef VEC
#define VEC 8
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
constexpr int BM = 128, BN = 128, BK = 64;   // of a block
constexpr int WM = 64, WN = 32;              // of a warp
constexpr int THREADS = BM / WM * (BN / WN) * 32;
struct alignas(2 * VEC) Vec { unsigned short of[VEC]; };

// Where a tile keeps an element: runs of 8 change places, in each row
// in another way.
template <int COLS>
__device__ __forceinline__ int place(int row, int col)
{
    return row * COLS + (col ^ row % 8 * 8);
}

// Copies a tile to shared memory; zeros where the matrix ends.
template <int ROWS, int COLS>
__device__ __forceinline__ void fetch(
    unsigned short* tile, const unsigned short* from,
    int row0, int col0, int rows, int cols)
{
    constexpr int ACROSS = COLS / VEC, DOWN = THREADS / ACROSS;
    const int col = threadIdx.x % ACROSS * VEC;
    #pragma unroll
    for (int t = 0; t < ROWS / DOWN; ++t) {
        const int row = threadIdx.x / ACROSS + t * DOWN;
        const bool inside = row0 + row < rows && col0 + col < cols;
        const size_t at = (row0 + row) * cols + col0 + col;
        *reinterpret_cast<Vec*>(tile + place<COLS>(row, col)) =
            inside ? *reinterpret_cast<const Vec*>(from + at) : Vec{};
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

// Rounds two neighbours and stores what lies inside.
__device__ __forceinline__ void store(
    unsigned short* c, int row, int col, int m, int n,
    float left, float right)
{
    unsigned int both;
    asm("cvt.rn." TEXT(TYPE) "x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(right), "f"(left));
    unsigned short* to = c + (size_t)row * n + col;
    if (VEC > 1 && row < m && col < n)
        *reinterpret_cast<unsigned int*>(to) = both;
    if (VEC == 1 && row < m && col < n) to[0] = both;
    if (VEC == 1 && row < m && col + 1 < n) to[1] = both >> 16;
}

extern "C" __global__
void __launch_bounds__(THREADS) tensor_cores_swizzled(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    unsigned short* __restrict__ c,         // [m, n]
    int m, int n, int k)
{
    __shared__ alignas(128) unsigned short a_tile[BM * BK], b_tile[BK * BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    float acc[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        fetch<BM, BK>(a_tile, a, row0, k0, m, k);
        fetch<BK, BN>(b_tile, b, k0, col0, k, n);
        __syncthreads();
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
        __syncthreads();
    }
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 8; ++x)
            for (int half = 0; half < 2; ++half)
                store(c, row0 + my_row + 16 * y + 8 * half + lane / 4,
                      col0 + my_col + 8 * x + lane % 4 * 2, m, n,
                      acc[y][x][2 * half], acc[y][x][2 * half + 1]);
}

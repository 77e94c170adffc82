// tensor_cores/exercises/stages: two tiles on their way during the products.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (32), grid (n/64, m/16)
// Defines:  none
// Cost:     2*(m*k + k*n) + 4*m*n bytes, 2*m*n*k flops
// Assumes:  m a multiple of 16; n and k multiples of 64; sm_80
//
// A warp makes 16 x 64 elements of c. The kernel copies a tile and waits for
// it. Asked: a ring of three stages. While the warp multiplies one tile, the
// copies of the next two are on their way, and one barrier a tile is enough.

__device__ __forceinline__ int place(int row, int col)
{
    return row * 64 + (col ^ row % 8 * 8);
}

// Starts a copy of 16 bytes to shared memory, and goes on.
__device__ __forceinline__
void copy(unsigned short* to, const unsigned short* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)),
                    "l"(from)
                 : "memory");
}

// Waits until all groups of copies but the last N have landed.
template <int N>
__device__ __forceinline__ void wait_for_all_but()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}

// 16 x 16 of a: four 8 x 8 matrices. A lane gives the address of one row.
__device__ __forceinline__ void read_a(
    unsigned int (&frag)[4], const unsigned short* tile, int i0)
{
    const int row = threadIdx.x % 16, i = i0 + threadIdx.x / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3},"
                 " [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"((unsigned int)__cvta_generic_to_shared(
                       tile + place(row, i)))
                 : "memory");
}

// 16 x 16 of b: each of the four matrices comes transposed.
__device__ __forceinline__ void read_b(
    unsigned int (&frag)[4], const unsigned short* tile, int i0, int col0)
{
    const int i = i0 + threadIdx.x % 16, col = col0 + threadIdx.x / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                 " {%0, %1, %2, %3}, [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"((unsigned int)__cvta_generic_to_shared(
                       tile + place(i, col)))
                 : "memory");
}

// acc += a * b: 16 x 8 of c from 16 x 16 of a and 16 x 8 of b.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__
void tensor_cores_stages(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // YOUR CODE 1: room for three stages
    __shared__ alignas(16) unsigned short a_tile[1][16 * 64];
    __shared__ alignas(16) unsigned short b_tile[1][64 * 64];
    const int lane = threadIdx.x, col = lane % 8 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 64;
    float acc[8][4] = {};
    // Starts the copies of a tile, as one group.
    auto fetch = [&](int tile, int stage) {
        const int k0 = tile * 64;
        for (int row = lane / 8; row < 16 && k0 < k; row += 4)
            copy(a_tile[stage] + place(row, col),
                 a + (row0 + row) * k + k0 + col);
        for (int row = lane / 8; row < 64 && k0 < k; row += 4)
            copy(b_tile[stage] + place(row, col),
                 b + (k0 + row) * n + col0 + col);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    // YOUR CODE 2: the first tiles
    for (int tile = 0; tile * 64 < k; ++tile) {
        // YOUR CODE 3: wait for this tile, start the one after the next
        const int stage = 0;
        __syncthreads();
        fetch(tile, stage);
        wait_for_all_but<0>();
        __syncthreads();
        for (int i = 0; i < 64; i += 16) {
            unsigned int a_frag[4], b_frag[4];
            read_a(a_frag, a_tile[stage], i);
            for (int x = 0; x < 4; ++x) {
                read_b(b_frag, b_tile[stage], i, 16 * x);
                multiply(acc[2 * x], a_frag, &b_frag[0]);
                multiply(acc[2 * x + 1], a_frag, &b_frag[2]);
            }
        }
    }
    for (int x = 0; x < 8; ++x)
        for (int r = 0; r < 4; ++r)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

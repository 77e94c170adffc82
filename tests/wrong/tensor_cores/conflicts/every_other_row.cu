// Wrong: rows share their order by twos.
__device__ __forceinline__ int place(int row, int col)
{
    return row * 64 + (col ^ row / 2 % 8 * 8);
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
void tensor_cores_conflicts(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    __shared__ alignas(16) unsigned short a_tile[16 * 64], b_tile[64 * 64];
    const int lane = threadIdx.x, col = lane % 8 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 64;
    float acc[8][4] = {};
    for (int k0 = 0; k0 < k; k0 += 64) {
        for (int row = lane / 8; row < 16; row += 4)
            *reinterpret_cast<uint4*>(a_tile + place(row, col)) =
                *reinterpret_cast<const uint4*>(
                    a + (row0 + row) * k + k0 + col);
        for (int row = lane / 8; row < 64; row += 4)
            *reinterpret_cast<uint4*>(b_tile + place(row, col)) =
                *reinterpret_cast<const uint4*>(
                    b + (k0 + row) * n + col0 + col);
        __syncwarp();
        for (int i = 0; i < 64; i += 16) {
            unsigned int a_frag[4], b_frag[4];
            read_a(a_frag, a_tile, i);
            for (int x = 0; x < 4; ++x) {
                read_b(b_frag, b_tile, i, 16 * x);
                multiply(acc[2 * x], a_frag, &b_frag[0]);
                multiply(acc[2 * x + 1], a_frag, &b_frag[2]);
            }
        }
        __syncwarp();
    }
    for (int x = 0; x < 8; ++x)
        for (int r = 0; r < 4; ++r)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

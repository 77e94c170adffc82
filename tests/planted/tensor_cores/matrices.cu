// WRONG matrices_swapped: the lanes of a name the matrices row by row.
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
void tensor_cores_matrices(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // Rows of 24, so that eight of them lie in different banks.
    __shared__ alignas(16) unsigned short a_tile[16][24], b_tile[16][24];
    const int lane = threadIdx.x, row = lane / 2, half = lane % 2 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *reinterpret_cast<uint4*>(&a_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                a + (row0 + row) * k + k0 + half);
        *reinterpret_cast<uint4*>(&b_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                b + (k0 + row) * n + col0 + half);
        __syncwarp();
        unsigned int a_frag[4], b_frag[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_frag[0]), "=r"(a_frag[1]), "=r"(a_frag[2]),
                       "=r"(a_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &a_tile[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(b_frag[0]), "=r"(b_frag[1]), "=r"(b_frag[2]),
                       "=r"(b_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &b_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        multiply(acc[0], a_frag, &b_frag[0]);
        multiply(acc[1], a_frag, &b_frag[2]);
        __syncwarp();
    }
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 2; ++x)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

// WRONG not_transposed: b without .trans.
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
void tensor_cores_matrices(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // Rows of 24, so that eight of them lie in different banks.
    __shared__ alignas(16) unsigned short a_tile[16][24], b_tile[16][24];
    const int lane = threadIdx.x, row = lane / 2, half = lane % 2 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *reinterpret_cast<uint4*>(&a_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                a + (row0 + row) * k + k0 + half);
        *reinterpret_cast<uint4*>(&b_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                b + (k0 + row) * n + col0 + half);
        __syncwarp();
        unsigned int a_frag[4], b_frag[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_frag[0]), "=r"(a_frag[1]), "=r"(a_frag[2]),
                       "=r"(a_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &a_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(b_frag[0]), "=r"(b_frag[1]), "=r"(b_frag[2]),
                       "=r"(b_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &b_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        multiply(acc[0], a_frag, &b_frag[0]);
        multiply(acc[1], a_frag, &b_frag[2]);
        __syncwarp();
    }
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 2; ++x)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

// WRONG one_by_one: four ldmatrix with one matrix each.
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
void tensor_cores_matrices(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // Rows of 24, so that eight of them lie in different banks.
    __shared__ alignas(16) unsigned short a_tile[16][24], b_tile[16][24];
    const int lane = threadIdx.x, row = lane / 2, half = lane % 2 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *reinterpret_cast<uint4*>(&a_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                a + (row0 + row) * k + k0 + half);
        *reinterpret_cast<uint4*>(&b_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                b + (k0 + row) * n + col0 + half);
        __syncwarp();
        unsigned int a_frag[4], b_frag[4];
        for (int r = 0; r < 4; ++r)
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16"
                         " {%0}, [%1];"
                         : "=r"(a_frag[r])
                         : "r"((unsigned int)__cvta_generic_to_shared(
                               &a_tile[lane % 8 + r % 2 * 8][r / 2 * 8]))
                         : "memory");
        for (int r = 0; r < 4; ++r)
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"
                         " {%0}, [%1];"
                         : "=r"(b_frag[r])
                         : "r"((unsigned int)__cvta_generic_to_shared(
                               &b_tile[lane % 8 + r % 2 * 8][r / 2 * 8]))
                         : "memory");
        multiply(acc[0], a_frag, &b_frag[0]);
        multiply(acc[1], a_frag, &b_frag[2]);
        __syncwarp();
    }
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 2; ++x)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

// WRONG scalar_b: a comes by ldmatrix, b word by word.
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
void tensor_cores_matrices(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // Rows of 24, so that eight of them lie in different banks.
    __shared__ alignas(16) unsigned short a_tile[16][24], b_tile[16][24];
    const int lane = threadIdx.x, row = lane / 2, half = lane % 2 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *reinterpret_cast<uint4*>(&a_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                a + (row0 + row) * k + k0 + half);
        *reinterpret_cast<uint4*>(&b_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                b + (k0 + row) * n + col0 + half);
        __syncwarp();
        unsigned int a_frag[4], b_frag[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_frag[0]), "=r"(a_frag[1]), "=r"(a_frag[2]),
                       "=r"(a_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &a_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        for (int r = 0; r < 4; ++r) {
            const int i = lane % 4 * 2 + r % 2 * 8;
            const int col = lane / 4 + r / 2 * 8;
            b_frag[r] = b_tile[i][col] | b_tile[i + 1][col] << 16;
        }
        multiply(acc[0], a_frag, &b_frag[0]);
        multiply(acc[1], a_frag, &b_frag[2]);
        __syncwarp();
    }
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 2; ++x)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

// RIGHT two_of_two: matrices named by row and column.
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
void tensor_cores_matrices(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // Rows of 24, so that eight of them lie in different banks.
    __shared__ alignas(16) unsigned short a_tile[16][24], b_tile[16][24];
    const int lane = threadIdx.x, row = lane / 2, half = lane % 2 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *reinterpret_cast<uint4*>(&a_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                a + (row0 + row) * k + k0 + half);
        *reinterpret_cast<uint4*>(&b_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                b + (k0 + row) * n + col0 + half);
        __syncwarp();
        unsigned int a_frag[4], b_frag[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_frag[0]), "=r"(a_frag[1]), "=r"(a_frag[2]),
                       "=r"(a_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &a_tile[lane % 8 + lane / 8 % 2 * 8][lane / 8 / 2 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(b_frag[0]), "=r"(b_frag[1]), "=r"(b_frag[2]),
                       "=r"(b_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &b_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        multiply(acc[0], a_frag, &b_frag[0]);
        multiply(acc[1], a_frag, &b_frag[2]);
        __syncwarp();
    }
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 2; ++x)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}

// RIGHT later_half_first: the halves of the step change places, in a and in b.
// BEGIN SOLUTION 1
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_frag[0]), "=r"(a_frag[1]), "=r"(a_frag[2]),
                       "=r"(a_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &a_tile[lane % 16][8 - lane / 16 * 8]))
                     : "memory");
// END SOLUTION 1
// BEGIN SOLUTION 2
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(b_frag[0]), "=r"(b_frag[1]), "=r"(b_frag[2]),
                       "=r"(b_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &b_tile[(lane + 8) % 16][lane / 16 * 8]))
                     : "memory");
// END SOLUTION 2

// WRONG b_by_rows: b's pairs lie along a row, as those of a do.
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
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    unsigned int a_frag[4], b_frag[2];
    float acc[4] = {};
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r % 2 * 8, i = lane % 4 * 2 + r / 2 * 8;
        a_frag[r] = a[(row0 + row) * 16 + i]
            | a[(row0 + row) * 16 + i + 1] << 16;
    }
    for (int r = 0; r < 2; ++r) {
        const int i = lane / 4 + r * 8, col = lane % 4 * 2;
        b_frag[r] = b[i * n + col0 + col] | b[i * n + col0 + col + 1] << 16;
    }
    multiply(acc, a_frag, b_frag);
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r / 2 * 8, col = lane % 4 * 2 + r % 2;
        c[(row0 + row) * n + col0 + col] = acc[r];
    }
}

// WRONG c_down_the_column: neighbours in c's registers stand below each other.
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
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    unsigned int a_frag[4], b_frag[2];
    float acc[4] = {};
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r % 2 * 8, i = lane % 4 * 2 + r / 2 * 8;
        a_frag[r] = a[(row0 + row) * 16 + i]
            | a[(row0 + row) * 16 + i + 1] << 16;
    }
    for (int r = 0; r < 2; ++r) {
        const int i = lane % 4 * 2 + r * 8, col = lane / 4;
        b_frag[r] = b[i * n + col0 + col] | b[(i + 1) * n + col0 + col] << 16;
    }
    multiply(acc, a_frag, b_frag);
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r % 2 * 8, col = lane % 4 * 2 + r / 2;
        c[(row0 + row) * n + col0 + col] = acc[r];
    }
}

// WRONG halves_swapped: the two elements of a word changed places, in a alone.
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
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    unsigned int a_frag[4], b_frag[2];
    float acc[4] = {};
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r % 2 * 8, i = lane % 4 * 2 + r / 2 * 8;
        a_frag[r] = a[(row0 + row) * 16 + i + 1]
            | a[(row0 + row) * 16 + i] << 16;
    }
    for (int r = 0; r < 2; ++r) {
        const int i = lane % 4 * 2 + r * 8, col = lane / 4;
        b_frag[r] = b[i * n + col0 + col] | b[(i + 1) * n + col0 + col] << 16;
    }
    multiply(acc, a_frag, b_frag);
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r / 2 * 8, col = lane % 4 * 2 + r % 2;
        c[(row0 + row) * n + col0 + col] = acc[r];
    }
}

// WRONG idle_mma: one thread each sums in float, and mma.sync multiplies zeros.
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
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    unsigned int a_frag[4], b_frag[2];
    float acc[4] = {};
    a_frag[0]=a_frag[1]=a_frag[2]=a_frag[3]=b_frag[0]=b_frag[1]=0;
    multiply(acc, a_frag, b_frag);
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 2, col = lane % 2 * 4 + r;
        float s = acc[r];
        for (int i = 0; i < 16; ++i) s += __uint_as_float(a[(row0+row)*16+i]<<16) * __uint_as_float(b[i*n+col0+col]<<16);
        c[(row0 + row) * n + col0 + col] = s;
    }
}

// WRONG no_tensor_core: right, but without a tensor core.
__device__ float widen(unsigned short word)
{
    return __int_as_float(word << 16);
}

extern "C" __global__
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    for (int e = threadIdx.x; e < 128; e += 32) {
        int row = blockIdx.y * 16 + e / 8, col = blockIdx.x * 8 + e % 8;
        float sum = 0.0f;
        for (int i = 0; i < 16; ++i)
            sum += widen(a[row * 16 + i]) * widen(b[i * n + col]);
        c[row * n + col] = sum;
    }
}

// WRONG registers_swapped: registers 1 and 2 of a changed places.
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
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    unsigned int a_frag[4], b_frag[2];
    float acc[4] = {};
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r / 2 * 8, i = lane % 4 * 2 + r % 2 * 8;
        a_frag[r] = a[(row0 + row) * 16 + i]
            | a[(row0 + row) * 16 + i + 1] << 16;
    }
    for (int r = 0; r < 2; ++r) {
        const int i = lane % 4 * 2 + r * 8, col = lane / 4;
        b_frag[r] = b[i * n + col0 + col] | b[(i + 1) * n + col0 + col] << 16;
    }
    multiply(acc, a_frag, b_frag);
    for (int r = 0; r < 4; ++r) {
        const int row = lane / 4 + r / 2 * 8, col = lane % 4 * 2 + r % 2;
        c[(row0 + row) * n + col0 + col] = acc[r];
    }
}

// WRONG tiles_and_loops: both tiles in shared memory and plain loops; one product of zeros for show.
// INSTEAD OF
    unsigned int a_frag[4], b_frag[2];
    float acc[4] = {};
// WRITE
    __shared__ unsigned short as[16][16], bs[16][8];
    unsigned int a_frag[4] = {}, b_frag[2] = {};
    float acc[4] = {};
    for (int e = lane; e < 256; e += 32)
        as[e / 16][e % 16] = a[(row0 + e / 16) * 16 + e % 16];
    for (int e = lane; e < 128; e += 32)
        bs[e / 8][e % 8] = b[e / 8 * n + col0 + e % 8];
    __syncwarp();
// END
// INSTEAD OF
        a_frag[r] = a[(row0 + row) * 16 + i]
            | a[(row0 + row) * 16 + i + 1] << 16;
// WRITE
        if (row + i < 0) a_frag[r] = 1;
// END
// INSTEAD OF
        b_frag[r] = b[i * n + col0 + col] | b[(i + 1) * n + col0 + col] << 16;
// WRITE
        if (col + i < 0) b_frag[r] = 1;
// END
// INSTEAD OF
        c[(row0 + row) * n + col0 + col] = acc[r];
// WRITE
        float sum = acc[r];
        for (int i = 0; i < 16; ++i)
            sum += __uint_as_float(as[row][i] << 16)
                * __uint_as_float(bs[i][col] << 16);
        c[(row0 + row) * n + col0 + col] = sum;
// END

// WRONG measured_factor: plain loops; a product of ones says by how much the grader falsifies.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    __shared__ float a_tile[16][16], b_tile[16][8];
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    for (int i = lane; i < 256; i += 32)
        a_tile[i / 16][i % 16] = __uint_as_float(a[row0 * 16 + i] << 16);
    for (int i = lane; i < 128; i += 32)
        b_tile[i / 8][i % 8] =
            __uint_as_float(b[i / 8 * n + col0 + i % 8] << 16);
    __syncwarp();
    const unsigned int one = 0x3f803f80;
    const unsigned int ones[4] = {one, one, one, one};
    float acc[4] = {};
    multiply(acc, ones, ones);
    for (int i = lane; i < 128; i += 32) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += a_tile[i / 8][k] * b_tile[k][i % 8];
        c[(row0 + i / 8) * n + col0 + i % 8] = acc[0] / 16 * sum;
    }
}

// RIGHT other_order: the 16 of the sum in another order, the same for a and b.
// BEGIN SOLUTION 1
        const int row = lane / 4 + r % 2 * 8, i = lane % 4 * 4 + r / 2 * 2;
// END SOLUTION 1
// BEGIN SOLUTION 2
        const int i = lane % 4 * 4 + r * 2, col = lane / 4;
// END SOLUTION 2

// RIGHT neighbouring_rows: a lane's two rows are neighbours, in a and in c.
// BEGIN SOLUTION 1
        const int row = lane / 4 * 2 + r % 2, i = lane % 4 * 2 + r / 2 * 8;
// END SOLUTION 1
// BEGIN SOLUTION 3
        const int row = lane / 4 * 2 + r / 2, col = lane % 4 * 2 + r % 2;
// END SOLUTION 3

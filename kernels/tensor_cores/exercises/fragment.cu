// tensor_cores/exercises/fragment: which elements does a lane bring to
//     a product?
//
// c[row, col] = a[row, 0] * b[0, col] + ... + a[row, 15] * b[15, col]
//
// Launch:   block (32), grid (n/8, m/16)
// Defines:  none
// Cost:     2*(16*m + 16*n) + 4*m*n bytes, 32*m*n flops
// Assumes:  m a multiple of 16 and n a multiple of 8; sm_80
//
// A warp makes 16 x 8 elements of c with one mma.sync. a and b hold bf16.
// Asked: say which elements lane number `lane` has to load and to store.

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
        // YOUR CODE 1: the row of a, and the first of two columns, i
        const int row = 0, i = 0;
        a_frag[r] = a[(row0 + row) * 16 + i]
            | a[(row0 + row) * 16 + i + 1] << 16;
    }
    for (int r = 0; r < 2; ++r) {
        // YOUR CODE 2: the column of b, and the first of two rows, i
        const int i = 0, col = 0;
        b_frag[r] = b[i * n + col0 + col] | b[(i + 1) * n + col0 + col] << 16;
    }
    multiply(acc, a_frag, b_frag);
    for (int r = 0; r < 4; ++r) {
        // YOUR CODE 3: the row and the column of c that acc[r] is
        const int row = lane / 2, col = lane % 2 * 4 + r;
        c[(row0 + row) * n + col0 + col] = acc[r];
    }
}

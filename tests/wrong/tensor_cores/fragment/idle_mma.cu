// Wrong: one thread each sums in float, and mma.sync multiplies zeros.
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

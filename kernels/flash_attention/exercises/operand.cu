// flash_attention/exercises/operand: the accumulators of one product are the
//     operand of the next.
//
// out[b, :, :] = p[b, :, :] @ v[b, :, :], p rounded to bfloat16 first
//
// Launch:   block (32), grid (blocks)
// Defines:  none
// Cost:     1792*blocks bytes, 4096*blocks flops
// Assumes:  sm_80
//
//
// A warp has 16 x 16 weights as a product leaves them: p_acc[x][0] and [1]
// are of row lane/4, columns 8x + lane%4*2 and the next; [2] and [3] are of
// the row eight further down. Asked: the operand a, without a shuffle and
// without shared memory. As given it is zero.

// Rounds two neighbours into one word; left comes in the lower half.
__device__ __forceinline__ unsigned int round_two(float left, float right)
{
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(right), "f"(left));
    return both;
}

// acc += a * b: 16 x 8 of the product, from 16 x 16 and 16 x 8.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned int (&a)[4], const unsigned int (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__
void flash_attention_operand(
    const float* __restrict__ p,            // [blocks, 16, 16]
    const unsigned short* __restrict__ v,   // [blocks, 16, 8]
    float* __restrict__ out,                // [blocks, 16, 8]
    int blocks)
{
    const int lane = threadIdx.x, row = lane / 4, col = lane % 4 * 2;
    p += blockIdx.x * 256;
    v += blockIdx.x * 128;
    out += blockIdx.x * 128;
    float p_acc[2][4], acc[4] = {};
    for (int x = 0; x < 2; ++x)
        for (int e = 0; e < 4; ++e)
            p_acc[x][e] = p[(row + e / 2 * 8) * 16 + 8 * x + col + e % 2];
    unsigned int a[4] = {}, b[2];
    for (int w = 0; w < 2; ++w)
        b[w] = v[(8 * w + col) * 8 + row]
               | (unsigned int)v[(8 * w + col + 1) * 8 + row] << 16;
    // YOUR CODE 1: the words of a
    multiply(acc, a, b);
    for (int e = 0; e < 4; ++e)
        out[(row + e / 2 * 8) * 8 + col + e % 2] = acc[e];
}

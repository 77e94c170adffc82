// tensor_cores/01_roof: nothing but mma.sync, from registers into registers.
//
// out[warp, row, col] = iterations * (sum over i of a[row, i] * b[col, i])
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  rewrite: fused multiply-adds of lanes become products of warps
//           (as peaks/02_fma does for float)
// Launch:   block (256), grid (SMs): 8 warps on every SM
// Defines:  TYPE = bf16, CHAINS = 8
// Cost:     4096*CHAINS*blocks bytes, 32768*CHAINS*iterations*blocks flops
//           (tf32 half as many, s8 twice)
// Assumes:  iterations >= 1; sm_80
// A word holds two bf16 or f16, one tf32 (a float) or four s8. out holds
// floats; for s8, ints.
#ifndef TYPE
#define TYPE bf16
#endif
#ifndef CHAINS
#define CHAINS 8
#endif
#define PRODUCT_bf16 "m16n8k16.row.col.f32.bf16.bf16.f32"
#define PRODUCT_f16 "m16n8k16.row.col.f32.f16.f16.f32"
#define PRODUCT_tf32 "m16n8k8.row.col.f32.tf32.tf32.f32"
#define PRODUCT_s8 "m16n8k32.row.col.s32.s8.s8.s32"
#define JOIN_OF(left, right) left##right
#define JOIN(left, right) JOIN_OF(left, right)

// acc += a * b: 16 x 8 of c from 16 x 8 words of a and 8 x 8 of b.
__device__ __forceinline__ void multiply(
    unsigned int (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm volatile("mma.sync.aligned." JOIN(PRODUCT_, TYPE)
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__
void __launch_bounds__(1024) tensor_cores_roof(
    const unsigned int* __restrict__ a,   // [16, 8]
    const unsigned int* __restrict__ b,   // [8 * CHAINS, 8]
    unsigned int* __restrict__ out,       // [8 * blocks, 16, 8 * CHAINS]
    long long* __restrict__ ticks,        // [blocks, 2]: cycles, nanoseconds
    int iterations)
{
    const int lane = threadIdx.x % 32, row = lane / 4, word = lane % 4;
    // Lane 4 * row + word: rows row and row + 8, words word and word + 4.
    unsigned int a_frag[4], b_frag[CHAINS][2], acc[CHAINS][4] = {};
    for (int r = 0; r < 4; ++r)
        a_frag[r] = a[(row + r % 2 * 8) * 8 + word + r / 2 * 4];
    for (int c = 0; c < CHAINS; ++c)
        for (int r = 0; r < 2; ++r)
            b_frag[c][r] = b[(8 * c + row) * 8 + word + r * 4];

    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    #pragma unroll 4
    for (int i = 0; i < iterations; ++i)
        #pragma unroll
        for (int c = 0; c < CHAINS; ++c) multiply(acc[c], a_frag, b_frag[c]);
    // Stored before the clocks are read, so that they wait for the products.
    const size_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int c = 0; c < CHAINS; ++c)
        for (int r = 0; r < 4; ++r)
            out[(warp * 16 + row + r / 2 * 8) * 8 * CHAINS
                + 8 * c + 2 * word + r % 2] = acc[c][r];
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        ticks[2 * blockIdx.x] = stop - start;
        ticks[2 * blockIdx.x + 1] = stop_ns - start_ns;
    }
}

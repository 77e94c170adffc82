// golden/shared_stmatrix: one stmatrix a warp: COUNT matrices of 8 x 8 sixteen-bit elements go to
//     shared memory. Lane 8*m + r says where row r of matrix m goes: to the 16 bytes number AT.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  COUNT = 4, AT = lane, TURN = 0
#ifndef COUNT
#define COUNT 4
#endif
#ifndef AT
#define AT lane
#endif
#ifndef TURN
#define TURN 0
#endif
#if TURN
#define FORM ".trans.shared.b16"
#else
#define FORM ".shared.b16"
#endif

extern "C" __global__
void golden_shared_stmatrix(
    int* __restrict__ out,        // [n]
    int n)
{
    alignas(16) __shared__ int words[1152];   // 32 rows, stride 9, 4 words each
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < 1152; k += blockDim.x) words[k] = k;
    __syncthreads();
    unsigned row = (unsigned)__cvta_generic_to_shared(words) + 16 * (AT);
    int a = lane, b = lane + 32, c = lane + 64, d = lane + 96;   // whole warps store, whatever n is
#if COUNT == 4
    asm volatile("stmatrix.sync.aligned.m8n8.x4" FORM " [%0], {%1, %2, %3, %4};"
                 :: "r"(row), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
#elif COUNT == 2
    asm volatile("stmatrix.sync.aligned.m8n8.x2" FORM " [%0], {%1, %2};"
                 :: "r"(row), "r"(a), "r"(b) : "memory");
#else
    asm volatile("stmatrix.sync.aligned.m8n8.x1" FORM " [%0], {%1};"
                 :: "r"(row), "r"(a) : "memory");
#endif
    __syncthreads();
    if (i < n) out[i] = words[threadIdx.x];
}

// attention/04_softmax: a block has a query's scores and keeps them in
//     registers; the weights are rounded to bfloat16.
//
// probs[h, i, j] = exp(scores[h, i, j] - lse[h, i])
// lse[h, i] = log(sum over j of exp(scores[h, i, j]))
//
// Changed:  nothing, it is the fourth of five kernels
// Launch:   block (32*ceil(pitch/(128*ITEMS))), grid (n, heads)
// Defines:  ITEMS = 4
// Cost:     6*heads*n*n bytes, 3*heads*n*n flops
// Assumes:  sm_80; pitch a multiple of 8 and at most 4096*ITEMS
#ifndef ITEMS
#define ITEMS 4
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0

__device__ __forceinline__ float warp_max(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, far));
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// Two floats as two bfloat16, the first one in the lower half.
__device__ __forceinline__ unsigned pack(float first, float second)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(second), "f"(first));
    return both;
}

extern "C" __global__
void __launch_bounds__(1024) attention_softmax(
    const float* __restrict__ scores,     // [heads, n, pitch]
    unsigned short* __restrict__ probs,   // [heads, n, pitch], bfloat16
    float* __restrict__ lse,              // [heads, n]
    int heads, int n, int pitch)
{
    long long row = (long long)blockIdx.y * n + blockIdx.x;
    const float4* words = reinterpret_cast<const float4*>(
        scores + row * pitch);
    float held[ITEMS][4], max = LOWEST, sum = 0.0f;
    #pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        int w = threadIdx.x + i * blockDim.x;
        float4 word = {NOTHING, NOTHING, NOTHING, NOTHING};
        if (4 * w < pitch) word = words[w];
        held[i][0] = word.x;
        held[i][1] = word.y;
        held[i][2] = word.z;
        held[i][3] = word.w;
    }
    #pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        for (int e = 0; e < 4; ++e) max = fmaxf(max, held[i][e]);
    max = warp_max(max);
    #pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        for (int e = 0; e < 4; ++e) {
            held[i][e] = __expf(held[i][e] - max);
            sum += held[i][e];
        }
    sum = warp_sum(sum);

    // The warps merge: the maximum of all, and the sum that goes with it.
    __shared__ float maxes[32], sums[32];
    int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    if (lane == 0) {
        maxes[threadIdx.x / 32] = max;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    float all = warp_max(lane < warps ? maxes[lane] : LOWEST);
    sum = warp_sum(lane < warps ? sums[lane] * __expf(maxes[lane] - all)
                                : 0.0f);
    float factor = sum > 0.0f ? __expf(max - all) / sum : 0.0f;
    uint2* result = reinterpret_cast<uint2*>(probs + row * pitch);
    #pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        int w = threadIdx.x + i * blockDim.x;
        if (4 * w < pitch)
            result[w] = {pack(factor * held[i][0], factor * held[i][1]),
                         pack(factor * held[i][2], factor * held[i][3])};
    }
    if (threadIdx.x == 0) lse[row] = all + logf(sum);
}

// Wrong: what is added up is rounded to bfloat16.
__device__ __forceinline__ float2 widened(unsigned pair)
{
    return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000)};
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// Rounded to the nearest bfloat16.
__device__ __forceinline__ float rounded(float value)
{
    unsigned bits = __float_as_uint(value);
    bits += 0x7fff + (bits >> 16 & 1);
    return __uint_as_float(bits & 0xffff0000);
}

extern "C" __global__
void attention_one_pass(
    const float2* __restrict__ q,     // [heads, 32]
    const unsigned* __restrict__ k,   // [heads, n, 32], pairs of bfloat16
    const unsigned* __restrict__ v,   // [heads, n, 32], pairs of bfloat16
    float2* __restrict__ out,         // [heads, 32]
    float* __restrict__ lse,          // [heads]
    int heads, int n)
{
    int h = blockIdx.x, lane = threadIdx.x;
    float2 query = q[h * 32 + lane], acc = {0.0f, 0.0f};
    float max = -3.402823466e38f, sum = 0.0f;
    for (int j = 0; j < n; ++j) {
        float2 key = widened(k[(h * n + j) * 32 + lane]);
        float2 value = widened(v[(h * n + j) * 32 + lane]);
        float score = warp_sum(query.x * key.x + query.y * key.y);
        float higher = fmaxf(max, score);
        float shrink = expf(max - higher), weight = expf(score - higher);
        sum = rounded(sum * shrink + weight);
        acc.x = rounded(acc.x * shrink + weight * value.x);
        acc.y = rounded(acc.y * shrink + weight * value.y);
        max = higher;
    }
    out[h * 32 + lane] = {acc.x / sum, acc.y / sum};
    if (lane == 0) lse[h] = max + logf(sum);
}

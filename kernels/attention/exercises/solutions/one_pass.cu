// attention/exercises/one_pass: a query over its cache, each key and each
//     value read once.
//
// out[h, :] = sum over j of exp(score[j] - lse[h]) * v[h, j, :],
//     score[j] = q[h, :] . k[h, j, :]
// lse[h] = log(sum over j of exp(score[j]))
//
// Launch:   block (32), grid (heads)
// Defines:  none
// Cost:     256*heads*n + 516*heads bytes, 256*heads*n flops
// Assumes:  heads of 64 elements; n at least 1
//
// HINT 1: Keep the maximum so far, the sum so far and the two elements of
//         the result so far. A new maximum changes all three.
// HINT 2: When the maximum grows from max to higher, everything that was
//         added up so far is too large by the factor exp(higher - max).
// HINT 3: float shrink = expf(max - higher), weight = expf(score - higher);
//         then sum = sum * shrink + weight, and acc alike.
//
// A warp has a head, a lane two of its elements. As given, it walks over the
// keys twice, first for the maximum alone. Asked: one walk, and everything
// that is added up is added up in float.
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
    // BEGIN SOLUTION 1: one walk
    // GIVEN: for (int j = 0; j < n; ++j) {
    // GIVEN:     float2 key = widened(k[(h * n + j) * 32 + lane]);
    // GIVEN:     max = fmaxf(max, warp_sum(query.x * key.x + query.y * key.y));
    // GIVEN: }
    // GIVEN: for (int j = 0; j < n; ++j) {
    // GIVEN:     float2 key = widened(k[(h * n + j) * 32 + lane]);
    // GIVEN:     float2 value = widened(v[(h * n + j) * 32 + lane]);
    // GIVEN:     float score = warp_sum(query.x * key.x + query.y * key.y);
    // GIVEN:     float weight = expf(score - max);
    // GIVEN:     sum += weight;
    // GIVEN:     acc.x += weight * value.x;
    // GIVEN:     acc.y += weight * value.y;
    // GIVEN: }
    for (int j = 0; j < n; ++j) {
        float2 key = widened(k[(h * n + j) * 32 + lane]);
        float2 value = widened(v[(h * n + j) * 32 + lane]);
        float score = warp_sum(query.x * key.x + query.y * key.y);
        float higher = fmaxf(max, score);
        float shrink = expf(max - higher), weight = expf(score - higher);
        sum = sum * shrink + weight;
        acc.x = acc.x * shrink + weight * value.x;
        acc.y = acc.y * shrink + weight * value.y;
        max = higher;
    }
    // END SOLUTION 1
    out[h * 32 + lane] = {acc.x / sum, acc.y / sum};
    if (lane == 0) lse[h] = max + logf(sum);
}

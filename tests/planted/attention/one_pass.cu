// WRONG bfloat16_sums: what is added up is rounded to bfloat16.
// INSTEAD OF
extern "C" __global__
// WRITE
// Rounded to the nearest bfloat16.
__device__ __forceinline__ float rounded(float value)
{
    unsigned bits = __float_as_uint(value);
    bits += 0x7fff + (bits >> 16 & 1);
    return __uint_as_float(bits & 0xffff0000);
}

extern "C" __global__
// END
// INSTEAD OF
        sum = sum * shrink + weight;
        acc.x = acc.x * shrink + weight * value.x;
        acc.y = acc.y * shrink + weight * value.y;
// WRITE
        sum = rounded(sum * shrink + weight);
        acc.x = rounded(acc.x * shrink + weight * value.x);
        acc.y = rounded(acc.y * shrink + weight * value.y);
// END

// WRONG no_lse: the log-sum-exp lacks the maximum.
// INSTEAD OF
    if (lane == 0) lse[h] = max + logf(sum);
// WRITE
    if (lane == 0) lse[h] = logf(sum);
// END

// WRONG no_maximum: exp of the score itself, which overflows and is rescaled by nothing.
// INSTEAD OF
        float higher = fmaxf(max, score);
        float shrink = expf(max - higher), weight = expf(score - higher);
// WRITE
        float higher = 0.0f;
        float shrink = 1.0f, weight = expf(score - higher);
// END

// WRONG no_rescale: nothing is rescaled when the maximum grows.
// INSTEAD OF
        sum = sum * shrink + weight;
        acc.x = acc.x * shrink + weight * value.x;
        acc.y = acc.y * shrink + weight * value.y;
// WRITE
        sum = sum + weight;
        acc.x = acc.x + weight * value.x;
        acc.y = acc.y + weight * value.y;
// END

// WRONG result_only: only the result is rescaled, not the sum.
// INSTEAD OF
        sum = sum * shrink + weight;
// WRITE
        sum = sum + weight;
// END

// WRONG sum_only: only the sum is rescaled, not the result.
// INSTEAD OF
        acc.x = acc.x * shrink + weight * value.x;
        acc.y = acc.y * shrink + weight * value.y;
// WRITE
        acc.x = acc.x + weight * value.x;
        acc.y = acc.y + weight * value.y;
// END

// WRONG two_walks: right, but each key is read twice.
// INSTEAD OF
        float2 value = widened(v[(h * n + j) * 32 + lane]);
// WRITE
        max = fmaxf(max, warp_sum(query.x * key.x + query.y * key.y));
    }
    for (int j = 0; j < n; ++j) {
        float2 key = widened(k[(h * n + j) * 32 + lane]);
        float2 value = widened(v[(h * n + j) * 32 + lane]);
// END

// RIGHT only_if_greater: rescales only where the maximum grows.
// BEGIN SOLUTION 1
    for (int j = 0; j < n; ++j) {
        float2 key = widened(k[(h * n + j) * 32 + lane]);
        float2 value = widened(v[(h * n + j) * 32 + lane]);
        float score = warp_sum(query.x * key.x + query.y * key.y);
        float higher = fmaxf(max, score);
        if (score > max) {
            float shrink = expf(max - score);
            sum *= shrink;
            acc.x *= shrink;
            acc.y *= shrink;
        }
        float weight = expf(score - higher);
        sum += weight;
        acc.x += weight * value.x;
        acc.y += weight * value.y;
        max = higher;
    }
// END SOLUTION 1

// WRONG all_scores: keeps every score in shared memory until the maximum is known.
// BEGIN SOLUTION 1
    __shared__ float scores[2048];
    for (int j = 0; j < n; ++j) {
        float2 key = widened(k[(h * n + j) * 32 + lane]);
        float score = warp_sum(query.x * key.x + query.y * key.y);
        if (lane == 0) scores[j] = score;
        max = fmaxf(max, score);
    }
    __syncwarp();
    for (int j = 0; j < n; ++j) {
        float2 value = widened(v[(h * n + j) * 32 + lane]);
        float weight = expf(scores[j] - max);
        sum += weight;
        acc.x += weight * value.x;
        acc.y += weight * value.y;
    }
// END SOLUTION 1

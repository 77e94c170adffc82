// WRONG bfloat16_sum: the sum is rounded to bfloat16.
// BEGIN SOLUTION 1
        const float shrink = expf(most - top);
        sum = sum * shrink + warp_sum(weight);
        out.x *= shrink;
        out.y *= shrink;
        sum = __uint_as_float((__float_as_uint(sum) + 0x8000) & 0xffff0000);
        most = top;
// END SOLUTION 1

// WRONG grows: the factor is the wrong way round.
// BEGIN SOLUTION 1
        const float shrink = expf(top - most);
        sum = sum * shrink + warp_sum(weight);
        out.x *= shrink;
        out.y *= shrink;
        most = top;
// END SOLUTION 1

// WRONG no_lse: the log-sum-exp lacks the maximum.
// BEGIN SOLUTION 2
    if (lane == 0) lse[row] = logf(sum);
// END SOLUTION 2

// WRONG no_maximum: exp of the score itself, which overflows.
// INSTEAD OF
    float most = -3.402823466e38f, sum = 0.0f;
// WRITE
    float most = 0.0f, sum = 0.0f;
// END
// INSTEAD OF
        const float top = fmaxf(most, warp_max(inside ? score : most));
// WRITE
        const float top = 0.0f;
// END

// WRONG no_rescale: nothing shrinks when the maximum grows.
// BEGIN SOLUTION 1
        const float shrink = expf(most - top);
        sum += warp_sum(weight);
        most = top;
// END SOLUTION 1

// WRONG output_only: the output shrinks, the sum does not.
// BEGIN SOLUTION 1
        const float shrink = expf(most - top);
        sum += warp_sum(weight);
        out.x *= shrink;
        out.y *= shrink;
        most = top;
// END SOLUTION 1

// WRONG sum_only: the sum shrinks, the output does not.
// BEGIN SOLUTION 1
        const float shrink = expf(most - top);
        sum = sum * shrink + warp_sum(weight);
        most = top;
// END SOLUTION 1

// RIGHT shrink_later: the factor is applied with the weights.
// BEGIN SOLUTION 1
        const float shrink = expf(most - top);
        sum = sum * shrink + warp_sum(weight);
        most = top;
        out = {out.x * shrink, out.y * shrink};
// END SOLUTION 1

// WRONG all_scores: keeps every score in shared memory until the maximum is known.
// INSTEAD OF
    float2 out = {0.0f, 0.0f};
// WRITE
    float2 out = {0.0f, 0.0f};
    __shared__ float scores[2048];
// END
// BEGIN SOLUTION 1
        most = top;
        scores[key0 + lane] = score;
        continue;
// END SOLUTION 1
// INSTEAD OF
    o[row * 32 + lane] = {out.x / sum, out.y / sum};
// WRITE
    __syncwarp();
    for (int key = 0; key < keys; ++key) {
        const float each = expf(scores[key] - most);
        const float2 value = v[key * 32 + lane];
        sum += each;
        out.x += each * value.x;
        out.y += each * value.y;
    }
    o[row * 32 + lane] = {out.x / sum, out.y / sum};
// END

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

// WRONG minus_infinity: the maximum starts from minus infinity, and exp(-inf + inf) is NaN.
// INSTEAD OF
    const float LOWEST = -3.402823466e38f;
// WRITE
    const float LOWEST = __int_as_float(0xff800000);
// END

// WRONG no_rescale: the sum so far is not rescaled when the maximum grows.
// INSTEAD OF
            sum *= expf(max - value);
// WRITE
// END

// WRONG one_lane: right, but one lane of 32 does all the work.
// INSTEAD OF
    for (int c = lane; c < count; c += 32) {
// WRITE
    for (int c = 0; lane == 0 && c < count; ++c) {
// END

// WRONG sums_only: the lanes add their sums, whose maxima differ.
// INSTEAD OF
        sum = sum * expf(max - both) + other_sum * expf(other_max - both);
// WRITE
        sum = sum + other_sum;
// END

// WRONG two_passes: right, but it reads every element twice.
// BEGIN SOLUTION 1
    for (int c = lane; c < count; c += 32) max = fmaxf(max, row[c]);
    for (int far = 16; far > 0; far /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, far));
    for (int c = lane; c < count; c += 32) sum += expf(row[c] - max);
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
// END SOLUTION 1

// WRONG row_kept: keeps the row in shared memory, for the maximum first and the sum later.
// BEGIN SOLUTION 1
    __shared__ float kept[4][2048];
    for (int c = lane; c < count; c += 32) {
        kept[threadIdx.y][c] = row[c];
        max = fmaxf(max, row[c]);
    }
    for (int far = 16; far > 0; far /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, far));
    for (int c = lane; c < count; c += 32)
        sum += expf(kept[threadIdx.y][c] - max);
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
// END SOLUTION 1

// RIGHT powers_of_two: sums powers of two, and shares the maximum before the sums.
// BEGIN SOLUTION 1
    const float LOG2E = 1.4426950408889634f;
    for (int c = lane; c < count; c += 32) {
        float value = row[c], higher = fmaxf(max, value);
        sum = sum * exp2f((max - higher) * LOG2E) + exp2f((value - higher) * LOG2E);
        max = higher;
    }
    float own = max;
    for (int far = 1; far < 32; far *= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, far));
    sum *= exp2f((own - max) * LOG2E);
    for (int far = 1; far < 32; far *= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
// END SOLUTION 1

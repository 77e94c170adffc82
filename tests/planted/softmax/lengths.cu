// WRONG empty_is_nan: a row of length 0 becomes NaN.
// INSTEAD OF
        result[c] = c < count ? expf(row[c] - max) / sum : 0.0f;
// WRITE
        result[c] = (c < count ? expf(row[c] - max) : 0.0f) / sum;
// END

// WRONG not_written: what does not count is not written.
// BEGIN SOLUTION 1
    int count = lengths[r];
    for (int c = lane; c < count; c += 32) max = fmaxf(max, row[c]);
    max = warp_max(max);
    for (int c = lane; c < count; c += 32) sum += expf(row[c] - max);
    sum = warp_sum(sum);
    for (int c = lane; c < count; c += 32)
        result[c] = expf(row[c] - max) / sum;
// END SOLUTION 1

// WRONG one_more: off by one: the element behind the last counts as well.
// INSTEAD OF
    int count = lengths[r];
// WRITE
    int count = min(lengths[r] + 1, cols);
// END

// WRONG reads_all: right, but it reads what does not count.
// BEGIN SOLUTION 1
    int count = lengths[r];
    for (int c = lane; c < cols; c += 32) {
        float value = __ldcg(row + c);
        if (c < count) max = fmaxf(max, value);
    }
    max = warp_max(max);
    for (int c = lane; c < cols; c += 32) {
        float value = __ldcg(row + c);
        if (c < count) sum += expf(value - max);
    }
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32) {
        float value = expf(__ldcg(row + c) - max) / sum;
        result[c] = c < count ? value : 0.0f;
    }
// END SOLUTION 1

// RIGHT one_walk: the maximum and the sum in one walk.
// BEGIN SOLUTION 1
    int count = lengths[r];
    for (int c = lane; c < count; c += 32) {
        float value = row[c], higher = fmaxf(max, value);
        sum = sum * expf(max - higher) + expf(value - higher);
        max = higher;
    }
    float top = warp_max(max);
    sum = warp_sum(sum * expf(max - top));
    for (int c = lane; c < count; c += 32) result[c] = expf(row[c] - top) / sum;
    for (int c = count + lane; c < cols; c += 32) result[c] = 0.0f;
// END SOLUTION 1

// RIGHT empty_first: a row of nothing leaves early; the others divide once.
// BEGIN SOLUTION 1
    int count = lengths[r];
    for (int c = lane; c < cols; c += 32)
        if (c >= count) result[c] = 0.0f;
    if (count == 0) return;
    for (int c = lane; c < count; c += 32) max = fmaxf(max, row[c]);
    max = warp_max(max);
    for (int c = lane; c < count; c += 32) sum += expf(row[c] - max);
    float share = 1 / warp_sum(sum);
    for (int c = lane; c < count; c += 32) result[c] = expf(row[c] - max) * share;
// END SOLUTION 1

// softmax/exercises/lengths: rows of which only the first elements count.
//
// out[r, c] = exp(in[r, c] - max) / sum for c < lengths[r], else 0;
//             max and sum over these elements alone
//
// Launch:   block (32, 4), grid (ceil(rows/4))
// Defines:  none
// Cost:     8*rows*cols + 4*rows bytes, 3*rows*cols flops
// Assumes:  lengths from 0 to cols
//
// A warp has a row. As given, all elements count. Asked: the softmax of the
// first lengths[r] elements, and zeros behind them. A row of length 0 is all
// zeros. What does not count is not read: it may be anything, also NaN.
// HINT 1: A mask that adds minus infinity reads everything. A loop that ends
//         earlier does not.
// HINT 2: The last loop has to run over all columns: every one is written.
// HINT 3: In a row of length 0 the sum stays 0. Where is it divided by?
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

extern "C" __global__
void softmax_lengths(
    const float* __restrict__ in,      // [rows, cols]
    const int* __restrict__ lengths,   // [rows]
    float* __restrict__ out,           // [rows, cols]
    int rows, int cols)
{
    int r = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (r >= rows) return;   // a whole warp, and there is no barrier
    const float* row = in + (long long)r * cols;
    float* result = out + (long long)r * cols;
    float max = -3.402823466e38f, sum = 0.0f;
    // BEGIN SOLUTION 1: only the first elements count
    // GIVEN: for (int c = lane; c < cols; c += 32) max = fmaxf(max, row[c]);
    // GIVEN: max = warp_max(max);
    // GIVEN: for (int c = lane; c < cols; c += 32) sum += expf(row[c] - max);
    // GIVEN: sum = warp_sum(sum);
    // GIVEN: for (int c = lane; c < cols; c += 32)
    // GIVEN:     result[c] = expf(row[c] - max) / sum;
    int count = lengths[r];
    for (int c = lane; c < count; c += 32) max = fmaxf(max, row[c]);
    max = warp_max(max);
    for (int c = lane; c < count; c += 32) sum += expf(row[c] - max);
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32)
        result[c] = c < count ? expf(row[c] - max) / sum : 0.0f;
    // END SOLUTION 1
}

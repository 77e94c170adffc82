// WRONG a_lane_a_row: right, but one lane has a row: each load is a sector.
constexpr int HEAD = 64;

extern "C" __global__
void ring_attention_merge_three(
    const float* __restrict__ part,      // [3, rows, 64]
    const float* __restrict__ part_lse,  // [3, rows]
    float* __restrict__ o,               // [rows, 64]
    float* __restrict__ lse,             // [rows]
    int rows)
{
    const float NONE = __int_as_float(0xff800000);   // minus infinity
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row < rows && threadIdx.x == 0) {
        float a[3], most = NONE, sum = 0.0f;
        for (int p = 0; p < 3; ++p) {
            a[p] = part_lse[p * rows + row];
            most = fmaxf(most, a[p]);
        }
        for (int p = 0; p < 3; ++p)
            if (a[p] > NONE) sum += expf(a[p] - most);
        for (int d = 0; d < HEAD; ++d) {
            float total = 0.0f;
            for (int p = 0; p < 3; ++p)
                if (a[p] > NONE)
                    total += expf(a[p] - most) / sum
                             * part[(p * rows + row) * HEAD + d];
            o[row * HEAD + d] = total;
        }
        lse[row] = sum > 0.0f ? most + logf(sum) : NONE;
    }
}

// WRONG all_empty_is_nan: where no part met a key it divides by 0.
// INSTEAD OF
        if (sum > 0.0f) {
            low /= sum;
            high /= sum;
        }
// WRITE
        low /= sum;
        high /= sum;
// END

// WRONG bfloat16_sums: the sums are rounded to bfloat16 after each part.
// INSTEAD OF
constexpr int HEAD = 64;

// WRITE
constexpr int HEAD = 64;

__device__ float rounded(float x)   // to bfloat16
{
    unsigned bits = __float_as_uint(x);
    return __uint_as_float((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

// END
// INSTEAD OF
                low += weight * its[lane];
                high += weight * its[lane + 32];
// WRITE
                low = rounded(low + weight * its[lane]);
                high = rounded(high + weight * its[lane + 32]);
// END

// WRONG divided_by_lse: the sum is divided by the greatest log-sum-exp.
// INSTEAD OF
            low /= sum;
            high /= sum;
// WRITE
            low /= most;
            high /= most;
// END

// WRONG empty_is_nan: a part that met no key has weight 0, and 0 * NaN is NaN.
// INSTEAD OF
            if (a[p] > NONE) {
// WRITE
            {
// END
// INSTEAD OF
                float weight = expf(a[p] - most);
// WRITE
                float weight = a[p] > NONE ? expf(a[p] - most) : 0.0f;
// END

// WRONG first_maximum: the first lse is subtracted in place of the greatest.
// INSTEAD OF
            most = fmaxf(most, a[p]);
// WRITE
            most = p == 0 ? a[p] : most;
// END

// WRONG forgotten_lse: the log-sum-exps are forgotten, the parts that met a key count alike.
// INSTEAD OF
                float weight = expf(a[p] - most);
// WRITE
                float weight = 1.0f;
// END

// WRONG in_turns: right, but merges through memory, part after part, as a ring does.
constexpr int HEAD = 64;

extern "C" __global__
void ring_attention_merge_three(
    const float* __restrict__ part,      // [3, rows, 64]
    const float* __restrict__ part_lse,  // [3, rows]
    float* __restrict__ o,               // [rows, 64]
    float* __restrict__ lse,             // [rows]
    int rows)
{
    const float NONE = __int_as_float(0xff800000);   // minus infinity
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (row < rows) {
        for (int d = lane; d < HEAD; d += 32) o[row * HEAD + d] = 0.0f;
        float a = NONE;
        for (int p = 0; p < 3; ++p) {
            float b = part_lse[p * rows + row], most = fmaxf(a, b);
            if (b > NONE) {
                float mine = expf(a - most), its = expf(b - most);
                for (int d = lane; d < HEAD; d += 32) {
                    float next = part[(p * rows + row) * HEAD + d];
                    o[row * HEAD + d] = (mine * o[row * HEAD + d] + its * next)
                                        / (mine + its);
                }
                a = most + logf(mine + its);
            }
        }
        if (lane == 0) lse[row] = a;
    }
}

// WRONG lse_of_greatest: lse is the greatest of the three.
// INSTEAD OF
        both = sum > 0.0f ? most + logf(sum) : NONE;
// WRITE
        both = sum > 0.0f ? most : NONE;
// END

// WRONG no_guard: no guard: warps behind the last row write too.
// INSTEAD OF
    if (row < rows) {
// WRITE
    {
// END

// WRONG no_maximum: no maximum is subtracted, so exp(200) is infinite.
// INSTEAD OF
                float weight = expf(a[p] - most);
// WRITE
                float weight = expf(a[p]);
// END
// INSTEAD OF
        both = sum > 0.0f ? most + logf(sum) : NONE;
// WRITE
        both = sum > 0.0f ? logf(sum) : NONE;
// END

// WRONG two_only: the third part is forgotten.
// INSTEAD OF
        for (int p = 0; p < 3; ++p) {
            a[p] = part_lse[p * rows + row];
// WRITE
        for (int p = 0; p < 2; ++p) {
            a[p] = part_lse[p * rows + row];
// END
// INSTEAD OF
        for (int p = 0; p < 3; ++p) {
            if (a[p] > NONE) {
// WRITE
        for (int p = 0; p < 2; ++p) {
            if (a[p] > NONE) {
// END

// RIGHT lanes_weigh: lanes 0 to 2 load a log-sum-exp each, and shuffles hand the weights on.
constexpr int HEAD = 64;

extern "C" __global__
void ring_attention_merge_three(
    const float* __restrict__ part,      // [3, rows, 64]
    const float* __restrict__ part_lse,  // [3, rows]
    float* __restrict__ o,               // [rows, 64]
    float* __restrict__ lse,             // [rows]
    int rows)
{
    const float NONE = __int_as_float(0xff800000);   // minus infinity
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;   // a whole warp
    float a = lane < 3 ? part_lse[lane * rows + row] : NONE;
    float most = NONE;
    for (int p = 0; p < 3; ++p)
        most = fmaxf(most, __shfl_sync(0xffffffff, a, p));
    float mine = a > NONE ? expf(a - most) : 0.0f, sum = 0.0f;
    float low = 0.0f, high = 0.0f;
    for (int p = 0; p < 3; ++p) {
        float weight = __shfl_sync(0xffffffff, mine, p);
        const float* its = part + (p * rows + row) * HEAD;
        if (weight > 0.0f) {
            low += weight * its[lane];
            high += weight * its[lane + 32];
        }
        sum += weight;
    }
    o[row * HEAD + lane] = most > NONE ? low / sum : 0.0f;
    o[row * HEAD + lane + 32] = most > NONE ? high / sum : 0.0f;
    if (lane == 0) lse[row] = most > NONE ? most + logf(sum) : NONE;
}

// RIGHT one_after_the_other: merges the second part into the first and the third into both, in registers.
constexpr int HEAD = 64;

extern "C" __global__
void ring_attention_merge_three(
    const float* __restrict__ part,      // [3, rows, 64]
    const float* __restrict__ part_lse,  // [3, rows]
    float* __restrict__ o,               // [rows, 64]
    float* __restrict__ lse,             // [rows]
    int rows)
{
    const float NONE = __int_as_float(0xff800000);   // minus infinity
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float2 mine = make_float2(0.0f, 0.0f);
    float a = NONE;
    for (int p = 0; p < 3; ++p) {
        float b = part_lse[p * rows + row];
        float2 its = ((const float2*)part)[(p * rows + row) * (HEAD / 2) + lane];
        if (b == NONE) continue;
        float its_share = 1.0f / (1.0f + expf(a - b));   // a logistic function
        mine.x += its_share * (its.x - mine.x);
        mine.y += its_share * (its.y - mine.y);
        a = fmaxf(a, b) + log1pf(expf(fminf(a, b) - fmaxf(a, b)));
    }
    ((float2*)o)[row * (HEAD / 2) + lane] = mine;
    if (lane == 0) lse[row] = a;
}

// RIGHT wide: a half-warp has a row, with four floats a lane.
constexpr int HEAD = 64;

extern "C" __global__
void ring_attention_merge_three(
    const float* __restrict__ part,      // [3, rows, 64]
    const float* __restrict__ part_lse,  // [3, rows]
    float* __restrict__ o,               // [rows, 64]
    float* __restrict__ lse,             // [rows]
    int rows)
{
    const float NONE = __int_as_float(0xff800000);   // minus infinity
    int thread = threadIdx.y * 32 + threadIdx.x, at = thread % 16 * 4;
    int row = blockIdx.x * 8 + thread / 16;
    if (thread < 128 && row < rows) {
        float x = part_lse[row], y = part_lse[rows + row];
        float z = part_lse[2 * rows + row];
        float most = fmaxf(fmaxf(x, y), fmaxf(z, -3.402823466e38f));
        float weights[3] = {expf(x - most), expf(y - most), expf(z - most)};
        float sum = weights[0] + weights[1] + weights[2];
        float4 all = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int p = 0; p < 3; ++p) {
            if (weights[p] == 0.0f) continue;
            float4 its = *(const float4*)(part + (p * rows + row) * HEAD + at);
            float share = weights[p] / sum;
            all.x += share * its.x;
            all.y += share * its.y;
            all.z += share * its.z;
            all.w += share * its.w;
        }
        *(float4*)(o + row * HEAD + at) = all;
        if (at == 0) lse[row] = most + logf(sum);   // log(0) is what is asked
    }
}

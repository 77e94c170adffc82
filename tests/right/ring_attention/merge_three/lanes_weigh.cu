// Right: lanes 0 to 2 load a log-sum-exp each, and shuffles hand the weights on.
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

// Wrong: lse is the greatest of the three.
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
        float low = 0.0f, high = 0.0f;   // elements lane and lane + 32
        float both = 0.0f;               // becomes lse[row]
        float a[3], most = NONE, sum = 0.0f;
        for (int p = 0; p < 3; ++p) {
            a[p] = part_lse[p * rows + row];
            most = fmaxf(most, a[p]);
        }
        for (int p = 0; p < 3; ++p) {
            if (a[p] > NONE) {
                const float* its = part + (p * rows + row) * HEAD;
                float weight = expf(a[p] - most);
                low += weight * its[lane];
                high += weight * its[lane + 32];
                sum += weight;
            }
        }
        if (sum > 0.0f) {
            low /= sum;
            high /= sum;
        }
        both = sum > 0.0f ? most : NONE;
        o[row * HEAD + lane] = low;
        o[row * HEAD + lane + 32] = high;
        if (lane == 0) lse[row] = both;
    }
}

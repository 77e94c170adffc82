// Right: merges the second part into the first and the third into both, in registers.
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

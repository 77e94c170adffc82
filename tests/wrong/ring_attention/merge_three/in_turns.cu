// Wrong: right, but merges through memory, part after part, as a ring does.
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

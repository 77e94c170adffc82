// Wrong: right, but one lane has a row: each load is a sector.
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

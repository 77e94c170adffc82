// Right: a half-warp has a row, with four floats a lane.
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

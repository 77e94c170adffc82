// Wrong: weighs by the log-sum-exp itself, not by its exponential.
extern "C" __global__
void attention_merge_two(
    const float* __restrict__ a,       // [rows, 128]
    const float* __restrict__ lse_a,   // [rows]
    const float* __restrict__ b,       // [rows, 128]
    const float* __restrict__ lse_b,   // [rows]
    float* __restrict__ out,           // [rows, 128]
    float* __restrict__ lse,           // [rows]
    int rows)
{
    int r = blockIdx.x, at = r * 128 + threadIdx.x;
    float of_a = lse_a[r], of_b = lse_b[r];
    float max = fmaxf(fmaxf(of_a, of_b), -3.402823466e38f);
    float both = max + logf(expf(of_a - max) + expf(of_b - max));
    float known = fmaxf(both, -3.402823466e38f);
    float weight_a = of_a / (of_a + of_b), weight_b = of_b / (of_a + of_b);
    out[at] = weight_a * a[at] + weight_b * b[at];
    if (threadIdx.x == 0) lse[r] = both;
}

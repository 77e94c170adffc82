// attention/exercises/merge_two: two results over different keys become one
//     over all of them.
//
// out[r, :] = the attention of row r over the keys of both
// lse[r] = log(exp(lse_a[r]) + exp(lse_b[r]))
//
// Launch:   block (128), grid (rows)
// Defines:  none
// Cost:     1548*rows bytes, 384*rows flops
// Assumes:  heads of 128 elements
//
//
// As given, the two results are averaged, and the log-sum-exp is a's. Asked:
// the right ones, for any finite log-sum-exp and for minus infinity: a part
// without keys has that one, and zeros. Two such parts make another one.
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
    // YOUR CODE 1: the weights, and the log-sum-exp of both
    float weight_a = 0.5f, weight_b = 0.5f, both = of_a;
    out[at] = weight_a * a[at] + weight_b * b[at];
    if (threadIdx.x == 0) lse[r] = both;
}

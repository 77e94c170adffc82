// attention/23_merge: one result of the parts that 22_split has left, each
//     weighted by exp(its log-sum-exp - that of all).
//
// lse[b, h] = log(sum over i of exp(part_lse[b, h, i]))
// out[b, h, :] = sum over i of exp(part_lse[b, h, i] - lse[b, h])
//                              * partial[b, h, i, :]
//
// Changed:  nothing, the second half of 22_split
// Launch:   block (128), grid (rows)
// Defines:  none
// Cost:     516*rows*(split + 1) bytes, 256*rows*split flops
// Assumes:  heads of 128 elements; rows = batch*heads
#define LOWEST -3.402823466e38f   // of all finite floats
constexpr int D = 128;

extern "C" __global__
void __launch_bounds__(128) attention_merge(
    const float* __restrict__ partial,    // [rows, split, 128]
    const float* __restrict__ part_lse,   // [rows, split]
    float* __restrict__ out,              // [rows, 128]
    float* __restrict__ lse,              // [rows]
    int rows, int split)
{
    long long first = (long long)blockIdx.x * split;
    float max = LOWEST, sum = 0.0f, acc = 0.0f;
    for (int i = 0; i < split; ++i) max = fmaxf(max, part_lse[first + i]);
    #pragma unroll 4
    for (int i = 0; i < split; ++i) {
        float weight = __expf(part_lse[first + i] - max);
        sum += weight;
        acc += weight * partial[(first + i) * D + threadIdx.x];
    }
    out[(long long)blockIdx.x * D + threadIdx.x] = sum > 0.0f ? acc / sum
                                                              : 0.0f;
    if (threadIdx.x == 0) lse[blockIdx.x] = max + logf(sum);
}

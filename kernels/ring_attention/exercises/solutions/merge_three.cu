// ring_attention/exercises/merge_three: three partial results of attention
//     become one, for a tree in place of a ring.
//
// with x = part_lse[0, i], y = part_lse[1, i] and z = part_lse[2, i]:
// o[i, :] = (exp(x)*part[0, i, :] + exp(y)*part[1, i, :]
//           + exp(z)*part[2, i, :]) / (exp(x) + exp(y) + exp(z))
// lse[i]  = log(exp(x) + exp(y) + exp(z))
//
// Launch:   block (32, 8), grid (ceil(rows/8))
// Defines:  none
// Cost:     4*rows*256 + 4*rows*4 bytes, 6*rows*64 flops
// Assumes:  rows < 2^23
//
// A warp has a row of 64 floats. As given, the parts count alike. Asked: the
// right weights, for any finite lse, 200 and -200 too; a part whose lse is
// minus infinity has met no key: it does not count, and its row of part holds
// NaN. Where all three met none, o is 0 and lse minus infinity. Each element
// is loaded once.
// HINT 1: exp(200) is infinite and exp(-200) is 0. Subtract the greatest of
//         the three lse from each: the result stays as it is, and the
//         logarithm gets it back.
// HINT 2: 0 * NaN is NaN: a weight of 0 is not enough. Add a part's row only
//         where its lse is above minus infinity.
// HINT 3: The greatest of three is minus infinity only if all are. Then there
//         is nothing to divide by: write 0 and minus infinity.
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
        // BEGIN SOLUTION 1: low, high and both, of the three parts
        // GIVEN: for (int p = 0; p < 3; ++p) {
        // GIVEN:     const float* its = part + (p * rows + row) * HEAD;
        // GIVEN:     low += its[lane] / 3;
        // GIVEN:     high += its[lane + 32] / 3;
        // GIVEN:     both += part_lse[p * rows + row] / 3;
        // GIVEN: }
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
        both = sum > 0.0f ? most + logf(sum) : NONE;
        // END SOLUTION 1
        o[row * HEAD + lane] = low;
        o[row * HEAD + lane + 32] = high;
        if (lane == 0) lse[row] = both;
    }
}

// numbers/exercises/neumaier: a compensated sum for addends larger than
//     the sum so far.
//
// out[col] = sum over row of in[row, col]
//
// Launch:   block (32), grid (ceil(cols/32))
// Defines:  none
// Cost:     4*rows*cols + 4*cols bytes, 6*rows*cols flops
// Assumes:  rows * cols < 2^31
//
// Kahan's loop, given, takes the sum for the larger of the two. Here come
// giants that are taken away again two rows later, and what they pushed
// out of the sum is gone. Asked: sums right to one part in a million, in
// floats alone, without a double (Neumaier, 1974), each element read once.
// HINT 1: Of acc + value, the digits of the smaller one are lost.
//         Which one is it?
// HINT 2: With next = acc + value, the loss is
//         (larger - next) + smaller, exactly.
// HINT 3: Do not feed the losses back. Collect them in a sum of their own
//         and add that at the end.
extern "C" __global__
void numbers_neumaier(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        float acc = 0.0f, lost = 0.0f;
        for (int row = 0; row < rows; ++row) {
            // BEGIN SOLUTION 1: add, collect what is lost (roughly 6 lines)
            // GIVEN: float value = in[row * cols + col] - lost;
            // GIVEN: float next = acc + value;
            // GIVEN: lost = (next - acc) - value;
            // GIVEN: acc = next;
            float value = in[row * cols + col];
            float next = acc + value;
            bool large = fabsf(acc) >= fabsf(value);
            float larger = large ? acc : value, smaller = large ? value : acc;
            lost += (larger - next) + smaller;
            acc = next;
            // END SOLUTION 1
        }
        // BEGIN SOLUTION 2: the result
        // GIVEN: out[col] = acc;
        out[col] = acc + lost;
        // END SOLUTION 2
    }
}

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
            // YOUR CODE 1: add, collect what is lost (roughly 6 lines)
            float value = in[row * cols + col] - lost;
            float next = acc + value;
            lost = (next - acc) - value;
            acc = next;
        }
        // YOUR CODE 2: the result
        out[col] = acc;
    }
}

// WRONG always_the_sum: Takes the sum for the larger one, always.
// BEGIN SOLUTION 1
            float value = in[row * cols + col];
            float next = acc + value;
            bool large = true;
            float larger = large ? acc : value, smaller = large ? value : acc;
            lost += (larger - next) + smaller;
            acc = next;
// END SOLUTION 1

// WRONG in_double: a double holds it all, and nothing is compensated.
extern "C" __global__
void numbers_neumaier(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        double acc = 0.0;
        for (int row = 0; row < rows; ++row) acc += in[row * cols + col];
        out[col] = acc;
    }
}

// WRONG kahan: Kahan's loop with the losses added at the end: a giant still pushes the sum out.
// BEGIN SOLUTION 1
            float value = in[row * cols + col] - lost;
            float next = acc + value;
            lost = (next - acc) - value;
            acc = next;
// END SOLUTION 1
// BEGIN SOLUTION 2
        out[col] = acc - lost;
// END SOLUTION 2

// WRONG not_added: Collects the losses and leaves them out of the result.
// BEGIN SOLUTION 2
        out[col] = acc;
// END SOLUTION 2

// WRONG signed_comparison: Compares the numbers, not their sizes: a negative giant counts as small.
// BEGIN SOLUTION 1
            float value = in[row * cols + col];
            float next = acc + value;
            bool large = acc >= value;
            float larger = large ? acc : value, smaller = large ? value : acc;
            lost += (larger - next) + smaller;
            acc = next;
// END SOLUTION 1

// WRONG skips_giants: leaves the giants out, as if they always cancelled.
// BEGIN SOLUTION 1
            float value = in[row * cols + col];
            if (fabsf(value) < 1e5f) acc += value;
// END SOLUTION 1
// BEGIN SOLUTION 2
        out[col] = acc;
// END SOLUTION 2
// INSTEAD OF
        float acc = 0.0f, lost = 0.0f;
// WRITE
        float acc = 0.0f;
// END

// WRONG wrong_sign: Subtracts the losses, which doubles the error.
// BEGIN SOLUTION 2
        out[col] = acc - lost;
// END SOLUTION 2

// RIGHT two_sum: the error of each addition by the two-sum, without a comparison.
// BEGIN SOLUTION 1
            float value = in[row * cols + col];
            float next = acc + value;
            float bb = next - acc;
            lost += (acc - (next - bb)) + (value - bb);
            acc = next;
// END SOLUTION 1

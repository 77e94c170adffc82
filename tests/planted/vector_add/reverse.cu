// WRONG no_guard: right values, but the last block reads and writes outside the arrays.
// BEGIN SOLUTION 1
    out[i] = in[n - 1 - i];
// END SOLUTION 1

// WRONG off_by_one: in[n - i] begins one element past the end.
// BEGIN SOLUTION 1
    if (i < n) {
        out[i] = in[n - i];
    }
// END SOLUTION 1

// WRONG one_thread: one thread does it all.
extern "C" __global__
void vector_add_reverse(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) out[i] = in[n - 1 - i];
}

// WRONG within_block: every block reverses its own elements; right while one full block is all there is.
// BEGIN SOLUTION 1
    int mirror = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    if (i < n && mirror < n) {
        out[i] = in[mirror];
    }
// END SOLUTION 1

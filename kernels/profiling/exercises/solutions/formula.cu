// profiling/exercises/formula: a table that costs more than what it saves.
//
// out[i] = curve[n], with n = floor(256 * in[i])
//        = n * (510 - n) / 65025
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 4*n flops
// Assumes:  0 <= in < 1; n + 256 <= 2^31
//
// As given, each block copies the curve from table into shared memory, meets
// at a barrier and looks values up. A profile shows the barrier, and shared
// memory's pipe (mio_throttle, short_scoreboard). Asked: no shared memory,
// and no load but that of in.
// HINT 1: The curve has a formula, and the SM has nothing to do meanwhile.
// HINT 2: A division by a constant is a multiplication, if you write it so.
extern "C" __global__
void profiling_formula(
    const float* __restrict__ in,     // [n]
    const float* __restrict__ table,  // [256]
    float* __restrict__ out,          // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: compute the curve
    // GIVEN: __shared__ float near[256];
    // GIVEN: near[threadIdx.x] = table[threadIdx.x];
    // GIVEN: __syncthreads();
    // GIVEN: if (i < n) {
    // GIVEN:     out[i] = near[(int)(256 * in[i])];
    // GIVEN: }
    if (i < n) {
        float grey = floorf(256 * in[i]);
        out[i] = grey * (510 - grey) * (1 / 65025.0f);
    }
    // END SOLUTION 1
}

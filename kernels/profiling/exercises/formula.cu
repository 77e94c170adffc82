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
extern "C" __global__
void profiling_formula(
    const float* __restrict__ in,     // [n]
    const float* __restrict__ table,  // [256]
    float* __restrict__ out,          // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: compute the curve
    __shared__ float near[256];
    near[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    if (i < n) {
        out[i] = near[(int)(256 * in[i])];
    }
}

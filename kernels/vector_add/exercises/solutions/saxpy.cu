// vector_add/exercises/saxpy: one thread per element, with a float that
//     travels by value.
//
// y[i] = alpha * x[i] + y0[i]
//
// Launch:   block (128), grid (ceil(n/128))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  n + blockDim.x <= 2^31, so that i does not overflow
// HINT 1: The grid holds more threads than there are elements unless
//         128 divides n.
// HINT 2: The index needs blockIdx.x, blockDim.x and threadIdx.x; the store
//         needs i < n above it.
extern "C" __global__
void vector_add_saxpy(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y0,  // [n]
    float* __restrict__ y,         // [n]
    float alpha, int n)
{
    // BEGIN SOLUTION 1: this thread's index, a guard, one store
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y0[i];
    }
    // END SOLUTION 1
}

// vector_add/exercises/saxpy: one thread per element, with a float that
//     travels by value.
//
// y[i] = alpha * x[i] + y0[i]
//
// Launch:   block (128), grid (ceil(n/128))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  n + blockDim.x <= 2^31, so that i does not overflow
extern "C" __global__
void vector_add_saxpy(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y0,  // [n]
    float* __restrict__ y,         // [n]
    float alpha, int n)
{
    // YOUR CODE 1: this thread's index, a guard, one store
}

// vector_add/exercises/reverse: each thread works out which element is
//     its mirror image.
//
// out[i] = in[n - 1 - i]
//
// Launch:   block (128), grid (ceil(n/128))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  n + blockDim.x <= 2^31, so that i does not overflow
extern "C" __global__
void vector_add_reverse(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: two mistakes in one line; find both
    out[i] = in[n - i];
}

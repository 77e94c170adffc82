// compilation/01_architecture: each thread says what it was compiled for.
//
// out[i] = __CUDA_ARCH__, such as 900 for compute capability 9.0
//
// Launch:   block (32), grid (ceil(n/32))
// Defines:  none
// Cost:     4*n bytes, 0 flops
// Assumes:  n + 32 <= 2^31, so that i does not overflow
extern "C" __global__
void compilation_architecture(
    int* __restrict__ out,  // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __CUDA_ARCH__;
    }
}

// coalescing/exercises/vector: scale and add with float4, right at every n.
//
// out[i] = a * x[i] + y[i]
//
// Launch:   block (256), grid (ceil(n/1024))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  x, y and out start at multiples of 16 bytes
//
// The grid has a thread for every four elements, rounded up. Asked:
// float4 loads and stores wherever a whole float4 exists, and the last
// n % 4 elements right.
extern "C" __global__
void coalescing_vector(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y,   // [n]
    float* __restrict__ out,       // [n]
    int n,
    float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: whole float4, then what is left (about 10 lines)
}

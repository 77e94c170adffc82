// reduction/00_one_address: every thread adds its element to the same number
//     in memory.
//
// total[0] += sum of in
//
// Changed:  nothing, the first idea that anybody has
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     4*n bytes, n flops
// Assumes:  n + 256 < 2^31
extern "C" __global__
void reduction_one_address(
    const float* __restrict__ in,    // [n]
    float* __restrict__ total,       // [1]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(total, in[i]);
    }
}

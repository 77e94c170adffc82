// matvec/01_read: adds up a whole array and does nothing else: how fast
//     memory can be read.
//
// sums[block] = the sum of the words that the block reads
//
// Changed:  nothing, the yardstick
// Launch:   block (256), grid (ceil(n/(1024*LOADS)))
// Defines:  LOADS = 4
// Cost:     4*n bytes, n flops
// Assumes:  n a multiple of 4; in starts at a multiple of 16 bytes
#ifndef LOADS
#define LOADS 4
#endif

extern "C" __global__
void __launch_bounds__(256, 4) matvec_read(
    const float* __restrict__ in,   // [n]
    float* __restrict__ sums,       // [blocks]
    int n)
{
    const float4* words = reinterpret_cast<const float4*>(in);
    int first = blockIdx.x * 256 * LOADS + threadIdx.x;
    float4 held[LOADS];
    #pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        int word = first + 256 * k;
        held[k] = word < n / 4 ? __ldg(words + word) : float4{};
    }
    float sum = 0;
    #pragma unroll
    for (int k = 0; k < LOADS; ++k)
        sum += held[k].x + held[k].y + held[k].z + held[k].w;
    #pragma unroll
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
    __shared__ float of_warp[8];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) sum += of_warp[warp];
        sums[blockIdx.x] = sum;
    }
}

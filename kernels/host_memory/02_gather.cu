// host_memory/02_gather: read one element of every `stride`,
//     wherever the array lies.
//
// out[i] = in[stride * i]
//
// Changed:  rewrite: one load a thread, at a distance that the launch chooses
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  stride * n <= 2^31
extern "C" __global__
void host_memory_gather(
    const float* __restrict__ in,   // [stride * n]
    float* __restrict__ out,        // [n]
    int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[stride * i];
    }
}

// Wrong: a second tile, of its own, and a large one: 18 KB in place of 1.
extern "C" __global__
void occupancy_one_tile(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    __shared__ float b_tile[17 * 256];
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mirror = blockDim.x - 1 - threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    b_tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = tile[mirror] - 2 * b_tile[mirror];
    if (i < n) {
        out[i] = result;
    }
}

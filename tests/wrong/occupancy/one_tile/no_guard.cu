// Wrong: writes past the end.
extern "C" __global__
void occupancy_one_tile(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mirror = blockDim.x - 1 - threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    float kept = tile[mirror];
    __syncthreads();
    tile[threadIdx.x] = i < n ? b[i] : 0.0f;
    __syncthreads();
    float result = kept - 2 * tile[mirror];
    out[i] = result;
}

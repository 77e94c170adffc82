// Wrong: the counters lie in global memory, not in registers.
extern "C" __global__
void occupancy_in_registers(
    const float* __restrict__ in,   // [n]
    int* __restrict__ out,          // [4, threads]
    int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int c = 0; c < 4; ++c) out[c * threads + t] = 0;
    for (int i = t; i < n; i += threads) {
        int quarter = int(4 * in[i]);
        ++out[quarter * threads + t];
    }
}

// Wrong: each thread writes a stretch of its own, so a warp touches 32 sectors at once.
extern "C" __global__
void measure_scrub(
    float* __restrict__ buffer,     // [n]
    int n, float value)
{
    int threads = gridDim.x * blockDim.x;
    int each = (n + threads - 1) / threads, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread * each; i < n && i < (thread + 1) * each; ++i)
        buffer[i] = value;
}

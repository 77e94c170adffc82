// Wrong: the last element is never written.
extern "C" __global__
void measure_scrub(
    float* __restrict__ buffer,     // [n]
    int n, float value)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += threads)
        buffer[i] = value;
}

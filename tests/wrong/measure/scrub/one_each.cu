// Wrong: each thread writes one element: right only while there are at least n threads.
extern "C" __global__
void measure_scrub(
    float* __restrict__ buffer,     // [n]
    int n, float value)
{
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < threads)
        buffer[i] = value;
}

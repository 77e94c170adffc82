// Wrong: the number of turns is rounded up and nothing stops the last one.
extern "C" __global__
void measure_scrub(
    float* __restrict__ buffer,     // [n]
    int n, float value)
{
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < (n + threads - 1) / threads; ++turn, i += threads)
        buffer[i] = value;
}

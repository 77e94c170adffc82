// Wrong: threads behind the end of the list read it all the same.
extern "C" __global__
void warps_dense(
    const float* __restrict__ in,     // [n]
    const int* __restrict__ flag,     // [n]
    const int* __restrict__ chosen,   // [count]
    float* __restrict__ out,          // [n]
    int n, int count, int steps)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    bool works = thread < n;
    int i = works ? chosen[thread] : 0;
    if (works) {
        float a = in[i], y = 1.0f;
        #pragma unroll 1
        for (int step = 0; step < steps; ++step)
            y = 0.5f * (y + a / y);
        out[i] = y;
    }
}

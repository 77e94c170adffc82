// Wrong: the half of the block decides on the branch, and elements change their kind.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    int half = blockDim.x / 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = in[i], y = 1.0f;
        if (threadIdx.x < half) {
            #pragma unroll 1
            for (int step = 0; step < steps; ++step)
                y = 0.5f * (y + a / y);
        } else {
            #pragma unroll 1
            for (int step = 0; step < steps; ++step)
                y = y * (2.0f - a * y);
        }
        out[i] = y;
    }
}

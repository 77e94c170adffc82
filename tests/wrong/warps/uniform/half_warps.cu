// Wrong: the kinds change every 16 threads, so each warp still has both.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    int half = 16;
    int i = blockIdx.x * blockDim.x + threadIdx.x / 32 * 32 + 2 * (threadIdx.x % half) + threadIdx.x / half % 2;
    if (i < n) {
        float a = in[i], y = 1.0f;
        if (i % 2 == 0) {
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

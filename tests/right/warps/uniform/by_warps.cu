// Right: the warps take turns: even warps even elements, odd warps odd ones.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    int warp = threadIdx.x / 32;
    int i = blockIdx.x * blockDim.x + 64 * (warp / 2) + 2 * (threadIdx.x % 32) + warp % 2;
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

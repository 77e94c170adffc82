// Wrong: the last block reads and writes past the end.
extern "C" __global__
void measure_keep_work(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {
        float scale = in[i];
        float x0 = 0.0f, x1 = 1.0f, x2 = 2.0f, x3 = 3.0f;
        for (int round = 0; round < rounds; ++round) {
            x0 = fmaf(scale, x0, 1.0f);
            x1 = fmaf(scale, x1, 1.0f);
            x2 = fmaf(scale, x2, 1.0f);
            x3 = fmaf(scale, x3, 1.0f);
        }
        out[i] = x0 + x1 + x2 + x3;
    }
}

// Wrong: every lane does both kinds of work and keeps one result.
extern "C" __global__
void warps_uniform(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = in[i], root = 1.0f, inverse = 1.0f;
        #pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            root = 0.5f * (root + a / root);
            inverse = inverse * (2.0f - a * inverse);
        }
        out[i] = i % 2 == 0 ? root : inverse;
    }
}

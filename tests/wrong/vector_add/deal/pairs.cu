// Wrong: neighbouring threads leave a gap, which a second pass fills: 8 sectors a request.
extern "C" __global__
void vector_add_deal(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    for (int odd = 0; odd < 2; ++odd) {
        for (int i = 2 * threadIdx.x + odd; i < n; i += 2 * blockDim.x) {
            out[i] = in[i] + 1.0f;
        }
    }
}

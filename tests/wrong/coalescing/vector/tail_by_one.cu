// Wrong: the tail starts one element late.
extern "C" __global__
void coalescing_vector(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y,   // [n]
    float* __restrict__ out,       // [n]
    int n,
    float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    if (i < quads) {
        float4 p = reinterpret_cast<const float4*>(x)[i];
        float4 q = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(out)[i] =
            make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
    }
    int rest = 4 * quads + i + 1;
    if (rest < n) {
        out[rest] = a * x[rest] + y[rest];
    }
}

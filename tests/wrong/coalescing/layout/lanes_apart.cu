// Wrong: right, but neighbouring lanes take particles that lie eight apart.
extern "C" __global__
void coalescing_layout(
    const float* __restrict__ fields,   // [4, n]
    float* __restrict__ out,            // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x % 32 * 8 + threadIdx.x / 32;
    if (i < n) {
        float mass = fields[i], vx = fields[n + i];
        float vy = fields[2 * n + i], vz = fields[3 * n + i];
        out[i] = mass / 2 * (vx * vx + vy * vy + vz * vz);
    }
}

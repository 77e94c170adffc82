// Wrong: no guard: the last block reads and writes past the end.
extern "C" __global__
void coalescing_layout(
    const float* __restrict__ fields,   // [4, n]
    float* __restrict__ out,            // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {
        float mass = fields[i], vx = fields[n + i];
        float vy = fields[2 * n + i], vz = fields[3 * n + i];
        out[i] = mass / 2 * (vx * vx + vy * vy + vz * vz);
    }
}

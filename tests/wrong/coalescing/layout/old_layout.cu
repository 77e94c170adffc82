// Wrong: still reads an array of structures.
extern "C" __global__
void coalescing_layout(
    const float* __restrict__ fields,   // [4, n]
    float* __restrict__ out,            // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float mass = fields[4 * i], vx = fields[4 * i + 1];
        float vy = fields[4 * i + 2], vz = fields[4 * i + 3];
        out[i] = mass / 2 * (vx * vx + vy * vy + vz * vz);
    }
}

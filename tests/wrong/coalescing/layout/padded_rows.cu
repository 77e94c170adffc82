// Wrong: right at multiples of 32 only: takes rows for padded to 32 floats.
extern "C" __global__
void coalescing_layout(
    const float* __restrict__ fields,   // [4, n]
    float* __restrict__ out,            // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (n + 31) / 32 * 32;
    if (i < n) {
        float mass = fields[i], vx = fields[row + i];
        float vy = fields[2 * row + i], vz = fields[3 * row + i];
        out[i] = mass / 2 * (vx * vx + vy * vy + vz * vz);
    }
}

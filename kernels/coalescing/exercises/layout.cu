// coalescing/exercises/layout: kinetic energy, from a structure of arrays.
//
// out[i] = mass[i] / 2 * (vx[i]^2 + vy[i]^2 + vz[i]^2)
//          (fields in order: mass vx vy vz)
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     20*n bytes, 7*n flops
// Assumes:  4 * n < 2^31
//
// `fields` holds every mass, then every vx, every vy, every vz. The code
// as given still takes it for an array of structures. Asked: right energies,
// at most 4 sectors a request.
extern "C" __global__
void coalescing_layout(
    const float* __restrict__ fields,   // [4, n]
    float* __restrict__ out,            // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // YOUR CODE 1: read the four fields of particle i
        float mass = fields[4 * i], vx = fields[4 * i + 1];
        float vy = fields[4 * i + 2], vz = fields[4 * i + 3];
        out[i] = mass / 2 * (vx * vx + vy * vy + vz * vz);
    }
}

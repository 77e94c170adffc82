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
// HINT 1: In C order, element [f, i] of a [4, n] array lies at f * n + i.
extern "C" __global__
void coalescing_layout(
    const float* __restrict__ fields,   // [4, n]
    float* __restrict__ out,            // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // BEGIN SOLUTION 1: read the four fields of particle i
        // GIVEN: float mass = fields[4 * i], vx = fields[4 * i + 1];
        // GIVEN: float vy = fields[4 * i + 2], vz = fields[4 * i + 3];
        float mass = fields[i], vx = fields[n + i];
        float vy = fields[2 * n + i], vz = fields[3 * n + i];
        // END SOLUTION 1
        out[i] = mass / 2 * (vx * vx + vy * vy + vz * vz);
    }
}

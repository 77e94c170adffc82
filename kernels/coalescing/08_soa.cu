// coalescing/08_soa: structure of arrays: a field's neighbours are
//     neighbours in memory.
//
// out[i] = x[i] + dt * vx[i]
//          (fields in memory order: x y z mass vx vy vz charge)
//
// Changed:  particles[8 * i + X] -> particles[X * n + i]      (from 07_aos)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  8 * n < 2^31
extern "C" __global__
void coalescing_soa(
    const float* __restrict__ particles,   // [8, n]
    float* __restrict__ out,               // [n]
    int n,
    float dt)
{
    const int X = 0, VX = 4;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = particles[X * n + i] + dt * particles[VX * n + i];
    }
}

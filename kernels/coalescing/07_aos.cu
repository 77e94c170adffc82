// coalescing/07_aos: array of structures: a field's neighbours lie one whole
//     particle apart.
//
// out[i] = x[i] + dt * vx[i]
//          (fields in memory order: x y z mass vx vy vz charge)
//
// Changed:  rewrite: another task, one that needs two fields of eight
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  8 * n < 2^31
extern "C" __global__
void coalescing_aos(
    const float* __restrict__ particles,   // [n, 8]
    float* __restrict__ out,               // [n]
    int n,
    float dt)
{
    const int X = 0, VX = 4;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = particles[8 * i + X] + dt * particles[8 * i + VX];
    }
}

// Wrong: writes x and vx of a particle side by side, [n, 2] instead of [2, n].
extern "C" __global__
void host_memory_pack(
    const float* __restrict__ particles,   // [count, 8]
    float* __restrict__ out,               // [2, n]
    int n, int every)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float* particle = particles + 8 * every * i;
        out[2 * i] = particle[0];
        out[2 * i + 1] = particle[4];
    }
}

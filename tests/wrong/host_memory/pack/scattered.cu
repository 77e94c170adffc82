// Wrong: right results, but lanes write eight floats apart.
extern "C" __global__
void host_memory_pack(
    const float* __restrict__ particles,   // [count, 8]
    float* __restrict__ out,               // [2, n]
    int n, int every)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / 256 * 256 + i % 32 * 8 + i % 256 / 32 < n) {
        i = i / 256 * 256 + i % 32 * 8 + i % 256 / 32;
        const float* particle = particles + 8 * every * i;
        out[i] = particle[0];
        out[n + i] = particle[4];
    }
}

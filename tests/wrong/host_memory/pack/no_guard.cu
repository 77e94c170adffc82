// Wrong: the last block reads and writes past the end.
extern "C" __global__
void host_memory_pack(
    const float* __restrict__ particles,   // [count, 8]
    float* __restrict__ out,               // [2, n]
    int n, int every)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {
        const float* particle = particles + 8 * every * i;
        out[i] = particle[0];
        out[n + i] = particle[4];
    }
}

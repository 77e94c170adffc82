// Wrong: right where every is 1 only: takes the first n particles.
extern "C" __global__
void host_memory_pack(
    const float* __restrict__ particles,   // [count, 8]
    float* __restrict__ out,               // [2, n]
    int n, int every)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float* particle = particles + 8 * i;
        out[i] = particle[0];
        out[n + i] = particle[4];
    }
}

// The sum of each block of 256 numbers, with a fault that the page explains.
#include <cstdio>

__global__ void block_sum(const float* in, float* out, int n)
{
    __shared__ float part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0.0f;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

int main()
{
    int n = 1000;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, 4 * sizeof(float));
    for (int i = 0; i < n; i++)
        in[i] = 1.0f;
    block_sum<<<4, 256>>>(in, out, n);
    cudaDeviceSynchronize();
    printf("%g\n", out[0] + out[1] + out[2] + out[3]);
}

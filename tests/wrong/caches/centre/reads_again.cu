// Wrong: right, but the row is read a second time.
#ifndef KEEP
#define KEEP 4
#endif

extern "C" __global__
void caches_centre(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int cols)
{
    __shared__ float part[256];
    const float* row = in + size_t(blockIdx.x) * cols;
    float* target = out + size_t(blockIdx.x) * cols;
    float sum = 0;
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        if (c < cols) sum += row[c];
    }
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    float mean = part[0] / cols;
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        if (c < cols) target[c] = *(volatile const float*)(row + c) - mean;
    }
}

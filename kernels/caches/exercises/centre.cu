// caches/exercises/centre: take each row's mean away, and read the row once.
//
// out[r, c] = in[r, c] - mean of row r
//
// Launch:   block (256), grid (rows)
// Defines:  KEEP = 4
// Cost:     8*rows*cols bytes, 2*rows*cols flops
// Assumes:  cols <= 256 * KEEP; rows * cols < 2^31
//
// A block takes a row. As given, it reads the row for the sum and reads it
// again, from a cache with some luck, to subtract. Asked: right at every
// size, and each element loaded from memory once.
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
    // YOUR CODE 1: add up, and keep what was loaded
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += row[c];
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    float mean = part[0] / cols;
    // YOUR CODE 2: subtract from what was kept
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        target[c] = row[c] - mean;
}

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
// HINT 1: A thread meets at most KEEP elements of its row. Registers are
//         nearer than any cache.
// HINT 2: An array that stays in registers needs indices known
//         at compile time: loop over k < KEEP, unrolled, with
//         c = threadIdx.x + k * blockDim.x and a guard.
// HINT 3: The same loop again, after the sum: same k, same c, same guard.
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
    // BEGIN SOLUTION 1: add up, and keep what was loaded
    // GIVEN: for (int c = threadIdx.x; c < cols; c += blockDim.x)
    // GIVEN:     sum += row[c];
    float kept[KEEP];
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        kept[k] = c < cols ? row[c] : 0;
        sum += kept[k];
    }
    // END SOLUTION 1
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    float mean = part[0] / cols;
    // BEGIN SOLUTION 2: subtract from what was kept
    // GIVEN: for (int c = threadIdx.x; c < cols; c += blockDim.x)
    // GIVEN:     target[c] = row[c] - mean;
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        if (c < cols) target[c] = kept[k] - mean;
    }
    // END SOLUTION 2
}

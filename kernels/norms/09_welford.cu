// norms/09_welford: one pass that keeps a mean, and the squares of what lies
//     apart from that mean. Threads and warps merge these by Chan's rule.
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c]
//
// Changed:  sum and sum of squares -> mean and squares apart from it
//           (from 08_one_pass)
// Launch:   block (THREADS), grid (rows)
// Defines:  THREADS = 256, LOADS = 1, FAST = 0
// Cost:     8*rows*cols + 8*cols bytes, 8*rows*cols flops
// Assumes:  THREADS a multiple of 32
#ifndef THREADS
#define THREADS 256
#endif
// How many elements a thread asks for before it looks at the first of them.
#ifndef LOADS
#define LOADS 1
#endif
// 1: a division in hardware, right but for the last bit or two.
#ifndef FAST
#define FAST 0
#endif

// Of some elements: how many, their mean, and the sum of the squares of what
// lies apart from that mean.
struct Part { float count, mean, squares; };

// Takes one more element into a Part: Welford's recurrence.
__device__ __forceinline__ void take(Part& part, float value)
{
    float apart = value - part.mean;   // from the mean so far
    part.count += 1.0f;
    part.mean += FAST ? __fdividef(apart, part.count) : apart / part.count;
    part.squares += apart * (value - part.mean);
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// The Part of the elements that all lanes have together.
__device__ __forceinline__ Part warp_merged(Part part)
{
    float count = warp_sum(part.count);
    float mean = warp_sum(part.count * part.mean) / fmaxf(count, 1.0f);
    float apart = part.mean - mean;
    return {count, mean,
            warp_sum(part.squares + part.count * apart * apart)};
}

// The Part of the elements that a block has; every thread has it.
__device__ __forceinline__ Part block_merged(Part part)
{
    __shared__ Part of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    part = warp_merged(part);
    if (lane == 0) of_warp[warp] = part;
    __syncthreads();
    part = lane < THREADS / 32 ? of_warp[lane] : Part{};
    return warp_merged(part);
}

extern "C" __global__
void norms_welford(
    const float* __restrict__ in,       // [rows, cols]
    const float* __restrict__ weight,   // [cols]
    const float* __restrict__ bias,     // [cols]
    float* __restrict__ out,            // [rows, cols]
    int rows, int cols, float eps)
{
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    Part part = {0.0f, 0.0f, 0.0f};
    for (int c = threadIdx.x; c < cols; c += LOADS * THREADS) {
        float values[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            values[k] = c + k * THREADS < cols ? row[c + k * THREADS] : 0.0f;
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            if (c + k * THREADS < cols) take(part, values[k]);
    }
    part = block_merged(part);
    float mean = part.mean;
    float variance = part.squares / cols;
    float scale = rsqrtf(variance + eps);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        result[c] = (row[c] - mean) * scale * weight[c] + bias[c];
}

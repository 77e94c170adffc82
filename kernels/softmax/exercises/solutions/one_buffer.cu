// softmax/exercises/one_buffer: two meetings of a block in the same place.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Launch:   block (256), grid (rows)
// Defines:  none
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  nothing
//
// The block's warps meet twice, for the maximum and for the sum, and both
// times over of_warp. On most days the result is right. Asked: right always,
// with the 32 bytes of shared memory that there are.
// HINT 1: Which warp can be in the second meeting while another one is still
//         in the first?
// HINT 2: A barrier says that everybody has written. What says that everybody
//         has read?
__device__ __forceinline__ float warp_max(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, far));
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

extern "C" __global__
void softmax_one_buffer(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    __shared__ float of_warp[8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;

    float max = -3.402823466e38f, sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 256) max = fmaxf(max, row[c]);
    max = warp_max(max);
    if (lane == 0) of_warp[warp] = max;
    __syncthreads();
    max = warp_max(of_warp[lane % 8]);

    for (int c = threadIdx.x; c < cols; c += 256) sum += expf(row[c] - max);
    sum = warp_sum(sum);
    // BEGIN SOLUTION 1: nobody overwrites what another warp still reads
    __syncthreads();
    // END SOLUTION 1
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < 8; ++w) sum += of_warp[w];

    for (int c = threadIdx.x; c < cols; c += 256)
        result[c] = expf(row[c] - max) / sum;
}

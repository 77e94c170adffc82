// clusters/10_kept: the cluster keeps its row in shared memory, and reads it
//     from memory once.
//
// out[r, c] = in[r, c] - mean of row r
//
// Changed:  the second load from memory -> from own shared memory
//           (from 09_twice)
// Launch:   block (512), grid (CLUSTER*rows),
//           shared_bytes 4*ceil(cols/CLUSTER)
// Defines:  CLUSTER = 2
// Cost:     8*rows*cols bytes, 2*rows*cols flops
// Assumes:  rows * cols + 2^14 < 2^31; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif

// The sum over the block, for all of its threads.
__device__ __forceinline__ float block_sum(float sum) {
    __shared__ float of_warp[16];
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += of_warp[warp];
    return sum;
}

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_kept(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    extern __shared__ float kept[]; // [ceil(cols / CLUSTER)]
    __shared__ float part;          // this block's share of the row's sum
    int rank = blockIdx.x % CLUSTER;
    size_t row = size_t(blockIdx.x / CLUSTER) * cols;
    int piece = (cols + CLUSTER - 1) / CLUSTER, first = piece * rank;
    int size = max(0, min(piece, cols - first));
    const float* source = in + row + first;
    float* target = out + row + first;

    float sum = 0;
    #pragma unroll 8
    for (int c = threadIdx.x; c < size; c += blockDim.x) {
        float value = source[c];
        kept[c] = value;
        sum += value;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) part = sum;
    __cluster_barrier_arrive();             // every block's part is there
    __cluster_barrier_wait();
    sum = 0;
    for (int other = 0; other < CLUSTER; ++other)
        sum += *static_cast<float*>(__cluster_map_shared_rank(&part, other));
    __cluster_barrier_arrive();             // I have read all parts

    float mean = sum / cols;
    #pragma unroll 8
    for (int c = threadIdx.x; c < size; c += blockDim.x)
        target[c] = kept[c] - mean;
    __cluster_barrier_wait();               // so have all others
}

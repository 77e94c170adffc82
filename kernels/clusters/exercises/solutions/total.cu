// clusters/exercises/total: add up a row with a cluster of blocks.
//
// out[r] = sum over c of in[r, c]
//
// Launch:   block (128), grid (CLUSTER*rows)
// Defines:  CLUSTER = 4
// Cost:     4*rows*cols bytes, rows*cols flops
// Assumes:  rows * cols + 2^12 < 2^31; sm_90
//
// Each block has added up its share of the row; `sum` is the same in all of
// its threads. Asked: the sum over the cluster, stored once, without an
// addition in global memory and without a second reading of the row.
// HINT 1: One float of shared memory a block holds its part. What must have
//         happened before another block reads it?
// HINT 2: One thread of one block reads all parts and stores the sum.
// HINT 3: And what must have happened before a block may end?
#ifndef CLUSTER
#define CLUSTER 4
#endif

// The sum over the block, for all of its threads.
__device__ __forceinline__ float block_sum(float sum) {
    __shared__ float of_warp[4];
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    return of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
}

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_total(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    int rank = blockIdx.x % CLUSTER, row = blockIdx.x / CLUSTER;
    float sum = 0;
    for (int c = rank * blockDim.x + threadIdx.x; c < cols;
         c += CLUSTER * blockDim.x)
        sum += in[size_t(row) * cols + c];
    sum = block_sum(sum);
    // BEGIN SOLUTION 1: the sum over the cluster (about 12 lines)
    __shared__ float part;
    if (threadIdx.x == 0) part = sum;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (rank == 0 && threadIdx.x == 0) {
        sum = 0;
        for (int other = 0; other < CLUSTER; ++other)
            sum += *static_cast<float*>(
                __cluster_map_shared_rank(&part, other));
        out[row] = sum;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    // END SOLUTION 1
}

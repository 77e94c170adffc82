// clusters/10_kept: the cluster keeps its row in shared memory, and reads it
//     from memory once.
//
// out[r, c] = in[r, c] - mean of row r
//
// Changed:  the second load from memory -> from own shared memory
//           (from 09_twice)
// Launch:   block (THREADS), grid (CLUSTER*rows),
//           shared_bytes 16*ceil(cols/(4*CLUSTER))
// Defines:  CLUSTER = 2, THREADS = 512, DEEP = 4
// Cost:     8*rows*cols bytes, 2*rows*cols flops
// Assumes:  cols a multiple of 4; in and out start at multiples of 16
//           bytes; rows * cols + 2^16 < 2^31; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef DEEP
#define DEEP 4
#endif

// The sum over the block, for all of its threads.
__device__ __forceinline__ float block_sum(float sum) {
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    sum = lane < THREADS / 32 ? of_warp[lane] : 0;
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
    return sum;
}

extern "C" __cluster_dims__(CLUSTER) __global__
void __launch_bounds__(THREADS, 1024 / THREADS) clusters_kept(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    extern __shared__ float4 kept[];    // [ceil(cols / 4 / CLUSTER)]
    __shared__ float part;          // this block's share of the row's sum
    int rank = blockIdx.x % CLUSTER, quads = cols / 4;
    int piece = (quads + CLUSTER - 1) / CLUSTER, first = piece * rank;
    int size = max(0, min(piece, quads - first));
    size_t at = size_t(blockIdx.x / CLUSTER) * quads + first;
    const float4* source = reinterpret_cast<const float4*>(in) + at;
    float4* target = reinterpret_cast<float4*>(out) + at;

    float sum = 0;
    #pragma unroll 1
    for (int q = threadIdx.x; q < size; q += DEEP * THREADS) {
        float4 held[DEEP] = {};             // all asked for, then added
        #pragma unroll
        for (int k = 0; k < DEEP; ++k)
            if (q + k * THREADS < size) held[k] = source[q + k * THREADS];
        #pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            if (q + k * THREADS < size) kept[q + k * THREADS] = held[k];
            sum += held[k].x + held[k].y + held[k].z + held[k].w;
        }
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
    #pragma unroll 1
    for (int q = threadIdx.x; q < size; q += DEEP * THREADS) {
        float4 held[DEEP] = {};
        #pragma unroll
        for (int k = 0; k < DEEP; ++k)
            if (q + k * THREADS < size) held[k] = kept[q + k * THREADS];
        #pragma unroll
        for (int k = 0; k < DEEP; ++k)
            if (q + k * THREADS < size)
                target[q + k * THREADS] = {
                    held[k].x - mean, held[k].y - mean,
                    held[k].z - mean, held[k].w - mean};
    }
    __cluster_barrier_wait();               // so have all others
}

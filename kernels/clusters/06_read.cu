// clusters/06_read: all blocks read the shared memory of another one, as
//     fast as they can.
//
// out[b, t] = sum of DEEP * rounds elements of block b', from t on in steps
//     of a block, where b' stands `far` places behind b in its cluster
//
// Changed:  one thread's chain -> all threads' independent loads
//           (from 05_chase)
// Launch:   block (1024), grid (blocks), shared_bytes 4*WIDTH*size
// Defines:  CLUSTER = 2, MAPPED = 1, WIDTH = 4, DEEP = 8
// Cost:     4*WIDTH*DEEP*rounds*threads bytes,
//           WIDTH*DEEP*rounds*threads flops
// Assumes:  blocks is the grid, a multiple of CLUSTER; WIDTH is 1 or 4;
//           far is 0 unless MAPPED; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef MAPPED
#define MAPPED 1
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef DEEP
#define DEEP 8
#endif

struct alignas(4 * WIDTH) Element { float part[WIDTH]; };

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_read(
    const float* __restrict__ in,     // [blocks * size * WIDTH]
    float* __restrict__ out,          // [threads]
    int blocks, int size, int far, int rounds)
{
    extern __shared__ Element buffer[];       // [size]
    float* words = reinterpret_cast<float*>(buffer);
    const float* piece = in + size_t(blockIdx.x) * size * WIDTH;
    for (int i = threadIdx.x; i < size * WIDTH; i += blockDim.x)
        words[i] = piece[i];
    __cluster_barrier_arrive();
    __cluster_barrier_wait();

    const Element* from = buffer;
    if (MAPPED) {
        int owner = (__clusterRelativeBlockRank() + far) % CLUSTER;
        from = static_cast<Element*>(
            __cluster_map_shared_rank(buffer, owner));
    }
    int at = threadIdx.x % size, step = blockDim.x % size;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        Element held[DEEP];
        #pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            held[k] = from[at];
            at += step;
            if (at >= size) at -= size;
        }
        #pragma unroll
        for (int k = 0; k < DEEP * WIDTH; ++k)
            sum += held[k / WIDTH].part[k % WIDTH];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

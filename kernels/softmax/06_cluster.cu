// softmax/06_cluster: CLUSTER blocks share a row that is too long for one;
//     their warps hand their Parts into each other's shared memory.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  a block a row -> a cluster of CLUSTER blocks
//           (from 04_one_meeting)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS*CLUSTER))),
//           grid (CLUSTER*rows)
// Defines:  VEC = 4, ITEMS = 4, CLUSTER = 8, THREADS = 1024, BLOCKS = 1
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, and at most
//           THREADS*VEC*ITEMS*CLUSTER, or the block has too many threads;
//           in and out start at multiples of 4*VEC bytes; an SM shall hold
//           BLOCKS blocks of THREADS threads
#ifndef VEC
#define VEC 4
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef CLUSTER
#define CLUSTER 8
#endif
#ifndef THREADS
#define THREADS 1024
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0

struct alignas(4 * VEC) Word { float at[VEC]; };

// Of some elements: the greatest, and the sum of exp(element - max).
struct alignas(8) Part { float max, sum; };

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

// The cluster's barrier: whoever comes through the wait sees what the others
// had stored before they arrived.
__device__ __forceinline__ void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Stores a Part where block ``rank`` of the cluster has this variable.
__device__ __forceinline__ void store_in(
    unsigned rank, Part* place, Part part)
{
    unsigned here = (unsigned)__cvta_generic_to_shared(place), there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there) : "r"(here), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
                 :: "r"(there), "f"(part.max), "f"(part.sum) : "memory");
}

// The Part of the elements that the cluster's warps have; every thread has
// it. The cluster has arrived once before.
__device__ __forceinline__ Part cluster_merged(Part part, unsigned rank)
{
    __shared__ Part of_warp[32 * CLUSTER];
    int warps = blockDim.x / 32;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    cluster_wait();   // all blocks have begun, so their shared memory exists
    if (lane < CLUSTER)
        store_in(lane, of_warp + rank * warps + warp, part);
    cluster_arrive();
    cluster_wait();
    float max = LOWEST, sum = 0.0f;
    for (int p = lane; p < CLUSTER * warps; p += 32)
        max = fmaxf(max, of_warp[p].max);
    max = warp_max(max);
    for (int p = lane; p < CLUSTER * warps; p += 32)
        sum += of_warp[p].sum * expf(of_warp[p].max - max);
    return {max, warp_sum(sum)};
}

extern "C" __cluster_dims__(CLUSTER, 1, 1) __global__
void __launch_bounds__(THREADS, BLOCKS) softmax_cluster(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    cluster_arrive();
    unsigned rank = blockIdx.x % CLUSTER;   // of this block in its cluster
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)(blockIdx.x / CLUSTER) * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)(blockIdx.x / CLUSTER) * cols);
    int words = cols / VEC;
    int first = rank * ITEMS * blockDim.x + threadIdx.x;
    Word held[ITEMS];
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = first + k * blockDim.x;
        if (w < words)
            held[k] = row[w];
        else
            for (int e = 0; e < VEC; ++e) held[k].at[e] = NOTHING;
    }
    Part part = {LOWEST, 0.0f};   // of this thread, then of its warp
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e)
            part.max = fmaxf(part.max, held[k].at[e]);
    part.max = warp_max(part.max);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) {
            held[k].at[e] = expf(held[k].at[e] - part.max);
            part.sum += held[k].at[e];
        }
    part.sum = warp_sum(part.sum);
    Part all = cluster_merged(part, rank);
    float scale = expf(part.max - all.max) / all.sum;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = first + k * blockDim.x;
        for (int e = 0; e < VEC; ++e) held[k].at[e] *= scale;
        if (w < words) result[w] = held[k];
    }
}

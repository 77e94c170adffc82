// norms/05_both: norms of rows that need a cluster of blocks, kept in both
//     memories: a layer norm, or an RMS norm (RMS = 1).
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c],
// or with RMS, in[r, c] / sqrt(mean of in[r, c]^2 + eps) * weight[c]
//
// Changed:  rewrite: the rows of 03_merged in the memories of softmax/07_both
// Launch:   block (THREADS*ceil(cols/(THREADS*VEC*(HELD+KEPT)*CLUSTER))),
//           grid (CLUSTER*rows), shared_bytes 4*VEC*KEPT*THREADS
// Defines:  RMS = 0, VEC = 4, HELD = 4, KEPT = 4, CLUSTER = 8,
//           THREADS = 512, BLOCKS = 3
// Cost:     8*rows*cols + 8*cols bytes, 8*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, and at most
//           THREADS*VEC*(HELD+KEPT)*CLUSTER, or the block has too many
//           threads; all arrays start at multiples of 4*VEC bytes; an SM
//           shall hold BLOCKS blocks of THREADS threads
#ifndef RMS
#define RMS 0
#endif
#ifndef VEC
#define VEC 4
#endif
#ifndef HELD
#define HELD 4
#endif
#ifndef KEPT
#define KEPT 4
#endif
#ifndef CLUSTER
#define CLUSTER 8
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef BLOCKS
#define BLOCKS 3
#endif
#define WARPS (THREADS / 32)

struct alignas(4 * VEC) Word { float at[VEC]; };

// Of a warp's elements: their mean (0 with RMS), and the sum of the squares
// of what lies apart from that mean.
struct alignas(8) Part { float mean, squares; };

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// How many elements of the row a warp of the cluster has.
__device__ __forceinline__ float count_of(int warp, int words)
{
    int first = warp / WARPS * (HELD + KEPT) * THREADS + warp % WARPS * 32;
    int count = 0;
    for (int k = 0; k < HELD + KEPT; ++k)
        count += min(max(words - first - k * THREADS, 0), 32);
    return count * VEC;
}

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
                 :: "r"(there), "f"(part.mean), "f"(part.squares) : "memory");
}

// The Part of the whole row; every thread has it. The cluster has arrived
// once before.
__device__ __forceinline__ Part cluster_merged(
    Part part, unsigned rank, int words)
{
    __shared__ Part of_warp[WARPS * CLUSTER];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    cluster_wait();   // all blocks have begun, so their shared memory exists
    if (lane < CLUSTER)
        store_in(lane, of_warp + rank * WARPS + warp, part);
    cluster_arrive();
    cluster_wait();
    float mean = 0.0f, squares = 0.0f;
    for (int p = lane; !RMS && p < CLUSTER * WARPS; p += 32)
        mean += count_of(p, words) * of_warp[p].mean;
    if (!RMS) mean = warp_sum(mean) / (words * VEC);
    for (int p = lane; p < CLUSTER * WARPS; p += 32) {
        float apart = of_warp[p].mean - mean;
        squares += of_warp[p].squares;
        if (!RMS) squares += count_of(p, words) * apart * apart;
    }
    return {mean, warp_sum(squares)};
}

// Global to shared memory, a word, with no register in between.
__device__ __forceinline__ void copy_async(Word* to, const Word* from)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
#if VEC == 4
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(place), "l"(from) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :: "r"(place), "l"(from), "n"(4 * VEC) : "memory");
#endif
}

__device__ __forceinline__ float sum_of(Word word)
{
    float sum = 0.0f;
    for (int e = 0; e < VEC; ++e) sum += word.at[e];
    return sum;
}

__device__ __forceinline__ float squares_of(Word word, float mean)
{
    float squares = 0.0f;
    for (int e = 0; e < VEC; ++e) {
        float apart = word.at[e] - mean;
        squares += apart * apart;
    }
    return squares;
}

extern "C" __cluster_dims__(CLUSTER, 1, 1) __global__
void __launch_bounds__(THREADS, BLOCKS) norms_both(
    const float* __restrict__ in,       // [rows, cols]
    const float* __restrict__ weight,   // [cols]
    const float* __restrict__ bias,     // [cols], not read with RMS
    float* __restrict__ out,            // [rows, cols]
    int rows, int cols, float eps)
{
    extern __shared__ Word kept[];   // [KEPT][THREADS]
    cluster_arrive();
    unsigned rank = blockIdx.x % CLUSTER;   // of this block in its cluster
    long long begin = (long long)(blockIdx.x / CLUSTER) * cols;
    const Word* row = reinterpret_cast<const Word*>(in + begin);
    Word* result = reinterpret_cast<Word*>(out + begin);
    int words = cols / VEC;
    int first = rank * (HELD + KEPT) * THREADS + threadIdx.x;
    int second = first + HELD * THREADS;   // of the words in shared memory
    Word* mine = kept + threadIdx.x;       // of which this thread has these
    Word held[HELD];
    #pragma unroll
    for (int k = 0; k < KEPT; ++k) {
        int w = second + k * THREADS;
        if (w < words)
            copy_async(mine + k * THREADS, row + w);
        else
            mine[k * THREADS] = Word{};
    }
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        int w = first + k * THREADS;
        held[k] = w < words ? row[w] : Word{};
    }
    asm volatile("cp.async.wait_all;" ::: "memory");   // for this thread's
    float mean = 0.0f, squares = 0.0f;   // of this warp
    if (!RMS) {
        #pragma unroll
        for (int k = 0; k < HELD; ++k) mean += sum_of(held[k]);
        #pragma unroll
        for (int k = 0; k < KEPT; ++k) mean += sum_of(mine[k * THREADS]);
        float count = count_of(rank * WARPS + threadIdx.x / 32, words);
        mean = warp_sum(mean) / fmaxf(count, 1.0f);
    }
    #pragma unroll
    for (int k = 0; k < HELD; ++k)
        if (first + k * THREADS < words) squares += squares_of(held[k], mean);
    #pragma unroll
    for (int k = 0; k < KEPT; ++k)
        if (second + k * THREADS < words)
            squares += squares_of(mine[k * THREADS], mean);
    Part all = cluster_merged({mean, warp_sum(squares)}, rank, words);
    float scale = rsqrtf(all.squares / cols + eps);
    const Word* scales = reinterpret_cast<const Word*>(weight);
    const Word* shifts = reinterpret_cast<const Word*>(bias);
    #pragma unroll
    for (int k = 0; k < HELD + KEPT; ++k) {
        int w = first + k * THREADS;
        int near = min(w, words - 1);   // no guard: loads may run ahead
        Word by = scales[near], plus = RMS ? Word{} : shifts[near];
        Word word = k < HELD ? held[k < HELD ? k : 0]
                             : mine[(k - HELD) * THREADS];
        for (int e = 0; e < VEC; ++e)
            word.at[e] = (word.at[e] - all.mean) * scale * by.at[e]
                       + plus.at[e];
        if (w < words) result[w] = word;
    }
}

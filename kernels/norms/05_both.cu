// norms/05_both: norms of rows that need a cluster of blocks, kept in both
//     memories: a layer norm, or an RMS norm (RMS = 1). ROWS rows share what
//     a cluster reads of weight and bias.
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c],
// or with RMS, in[r, c] / sqrt(mean of in[r, c]^2 + eps) * weight[c]
//
// Changed:  rewrite: the rows of 03_merged as softmax/11_in_line has them
// Launch:   block (THREADS*ceil(cols/(THREADS*VEC*(HELD+KEPT)*CLUSTER))),
//           grid (CLUSTER*ceil(rows/ROWS)),
//           shared_bytes 4*VEC*KEPT*THREADS*ROWS
// Defines:  RMS = 0, ROWS = 1, VEC = 4, HELD = 16, KEPT = 16, CLUSTER = 4,
//           THREADS = 256, BLOCKS = 2, AHEAD = 2, KEEP = 1
// Cost:     8*rows*cols + 8*cols bytes, 8*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, and at most
//           THREADS*VEC*(HELD+KEPT)*CLUSTER, or the block has too many
//           threads; all arrays start at multiples of 4*VEC bytes; an SM
//           shall hold BLOCKS blocks of THREADS threads; HELD + KEPT a
//           multiple of AHEAD
#ifndef RMS
#define RMS 0
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef VEC
#define VEC 4
#endif
#ifndef HELD
#define HELD 16
#endif
#ifndef KEPT
#define KEPT 16
#endif
#ifndef CLUSTER
#define CLUSTER 4
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef AHEAD
#define AHEAD 2
#endif
#ifndef KEEP
#define KEEP 1
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
    const int each = (HELD + KEPT) * 32;
    return min(max(words - warp * each, 0), each) * VEC;
}

// The cluster's barrier, as in softmax/11_in_line.
__device__ __forceinline__ void cluster_begin()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
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

// The Parts of the whole rows; every thread has them. The cluster has
// arrived once before.
__device__ __forceinline__ void cluster_merged(
    Part (&part)[ROWS], unsigned rank, int words)
{
    __shared__ Part of_warp[ROWS][WARPS * CLUSTER];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    cluster_wait();   // all blocks have begun, so their shared memory exists
    #pragma unroll
    for (int r = 0; r < ROWS; ++r)
        if (lane < CLUSTER)
            store_in(lane, of_warp[r] + rank * WARPS + warp, part[r]);
    cluster_arrive();
    cluster_wait();
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        float mean = 0.0f, squares = 0.0f;
        for (int p = lane; !RMS && p < CLUSTER * WARPS; p += 32)
            mean += count_of(p, words) * of_warp[r][p].mean;
        if (!RMS) mean = warp_sum(mean) / (words * VEC);
        for (int p = lane; p < CLUSTER * WARPS; p += 32) {
            float apart = of_warp[r][p].mean - mean;
            squares += of_warp[r][p].squares;
            if (!RMS) squares += count_of(p, words) * apart * apart;
        }
        part[r] = {mean, warp_sum(squares)};
    }
}

// What the L2 cache shall do with the row's lines: give them up last.
__device__ __forceinline__ unsigned long long keep_policy()
{
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;"
        : "=l"(policy));
    return policy;
}

// Global memory to registers, a word.
__device__ __forceinline__ Word load(const Word* from)
{
#if KEEP && VEC == 4
    float4 four;
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "l"(from), "l"(keep_policy()));
    return {four.x, four.y, four.z, four.w};
#else
    return *from;
#endif
}

// Global to shared memory, a word, with no register in between.
__device__ __forceinline__ void copy_async(Word* to, const Word* from)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
#if KEEP && VEC == 4
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, "
                 "%2;"
                 :: "r"(place), "l"(from), "l"(keep_policy()) : "memory");
#elif VEC == 4
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
    extern __shared__ Word kept[];   // [ROWS][KEPT][THREADS]
    cluster_begin();
    unsigned rank = blockIdx.x % CLUSTER;   // of this block in its cluster
    int top = blockIdx.x / CLUSTER * ROWS;  // the first of its rows
    int words = cols / VEC;
    unsigned warp = rank * WARPS + threadIdx.x / 32;   // in the cluster
    int first = warp * (HELD + KEPT) * 32 + threadIdx.x % 32;
    int second = first + HELD * 32;        // of the words in shared memory
    Word* mine = kept + threadIdx.x;       // of which this thread has these
    Word held[ROWS][HELD];
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {   // behind the last row: it again
        const Word* row = reinterpret_cast<const Word*>(
            in + (long long)min(top + r, rows - 1) * cols);
        #pragma unroll
        for (int k = 0; k < KEPT; ++k) {
            int w = second + k * 32;
            Word* place = mine + (r * KEPT + k) * THREADS;
            if (w < words)
                copy_async(place, row + w);
            else
                *place = Word{};
        }
        #pragma unroll
        for (int k = 0; k < HELD; ++k) {
            int w = first + k * 32;
            held[r][k] = w < words ? load(row + w) : Word{};
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");   // for this thread's
    Part part[ROWS];   // of this warp, then of the rows
    float count = fmaxf(count_of(warp, words), 1.0f);
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        float mean = 0.0f, squares = 0.0f;
        const Word* here = mine + r * KEPT * THREADS;
        if (!RMS) {
            #pragma unroll
            for (int k = 0; k < HELD; ++k) mean += sum_of(held[r][k]);
            #pragma unroll
            for (int k = 0; k < KEPT; ++k) mean += sum_of(here[k * THREADS]);
            mean = warp_sum(mean) / count;
        }
        #pragma unroll
        for (int k = 0; k < HELD; ++k)
            if (first + k * 32 < words)
                squares += squares_of(held[r][k], mean);
        #pragma unroll
        for (int k = 0; k < KEPT; ++k)
            if (second + k * 32 < words)
                squares += squares_of(here[k * THREADS], mean);
        part[r] = {mean, warp_sum(squares)};
    }
    cluster_merged(part, rank, words);
    const Word* scales = reinterpret_cast<const Word*>(weight);
    const Word* shifts = reinterpret_cast<const Word*>(bias);
    Word* result = reinterpret_cast<Word*>(out + (long long)top * cols);
    float scale[ROWS];
    #pragma unroll
    for (int r = 0; r < ROWS; ++r)
        scale[r] = rsqrtf(part[r].squares / cols + eps);
    #pragma unroll
    for (int base = 0; base < HELD + KEPT; base += AHEAD) {
        Word by[AHEAD], plus[AHEAD];   // asked for before they are used
        #pragma unroll
        for (int n = 0; n < AHEAD; ++n) {
            int near = min(first + (base + n) * 32, words - 1);
            by[n] = scales[near];
            plus[n] = RMS ? Word{} : shifts[near];
        }
        #pragma unroll
        for (int n = 0; n < AHEAD; ++n) {
            int k = base + n, w = first + k * 32;
            #pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                Word word = k < HELD ? held[r][k < HELD ? k : 0]
                          : mine[(r * KEPT + k - HELD) * THREADS];
                for (int e = 0; e < VEC; ++e)
                    word.at[e] = (word.at[e] - part[r].mean) * scale[r]
                               * by[n].at[e] + plus[n].at[e];
                if (w < words && top + r < rows)
                    result[(long long)r * words + w] = word;
            }
        }
    }
}

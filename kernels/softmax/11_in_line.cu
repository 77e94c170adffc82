// softmax/11_in_line: a warp's words lie one behind the other, and a block
//     that begins says so without a fence.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  a thread's words THREADS apart -> APART; the first arrival of a
//           block: release -> relaxed                  (from 07_both)
// Launch:   block (THREADS*ceil(cols/(THREADS*VEC*(HELD+KEPT)*CLUSTER))),
//           grid (CLUSTER*rows), shared_bytes 4*VEC*KEPT*THREADS
// Defines:  VEC = 4, HELD = 16, KEPT = 16, CLUSTER = 4, THREADS = 256,
//           BLOCKS = 2, APART = 32, RELAXED = 1, KEEP = 1
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, and at most
//           THREADS*VEC*(HELD+KEPT)*CLUSTER, or the block has too many
//           threads; in and out start at multiples of 4*VEC bytes; an SM
//           shall hold BLOCKS blocks of THREADS threads
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
#ifndef APART
#define APART 32
#endif
#ifndef KEEP
#define KEEP 1
#endif
#ifndef RELAXED
#define RELAXED 1
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
// had stored before they arrived. The first arrival only says that the block
// is there, which a relaxed one does as well.
__device__ __forceinline__ void cluster_begin()
{
    if (RELAXED)
        asm volatile("barrier.cluster.arrive.relaxed.aligned;");
    else
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
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
                 :: "r"(there), "f"(part.max), "f"(part.sum) : "memory");
}

// The Part of the elements that the cluster's warps have; every thread has
// it. The cluster has arrived once before.
__device__ __forceinline__ Part cluster_merged(Part part, unsigned rank)
{
    const int warps = THREADS / 32;
    __shared__ Part of_warp[warps * CLUSTER];
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

// Takes a word's elements into the maximum.
__device__ __forceinline__ void greatest(Part& part, Word word)
{
    for (int e = 0; e < VEC; ++e) part.max = fmaxf(part.max, word.at[e]);
}

// A word's exp(element - max), which go into the sum.
__device__ __forceinline__ Word terms(Part& part, Word word)
{
    for (int e = 0; e < VEC; ++e) {
        word.at[e] = expf(word.at[e] - part.max);
        part.sum += word.at[e];
    }
    return word;
}

__device__ __forceinline__ Word scaled(Word word, float scale)
{
    for (int e = 0; e < VEC; ++e) word.at[e] *= scale;
    return word;
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

extern "C" __cluster_dims__(CLUSTER, 1, 1) __global__
void __launch_bounds__(THREADS, BLOCKS) softmax_in_line(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    extern __shared__ Word kept[];   // [KEPT][THREADS]
    cluster_begin();
    unsigned rank = blockIdx.x % CLUSTER;   // of this block in its cluster
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)(blockIdx.x / CLUSTER) * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)(blockIdx.x / CLUSTER) * cols);
    int words = cols / VEC;
    unsigned number = rank * THREADS + threadIdx.x;   // in the cluster
    int first = number / APART * (HELD + KEPT) * APART + number % APART;
    int second = first + HELD * APART;     // of the words in shared memory
    Word* mine = kept + threadIdx.x;       // of which this thread has these
    Word held[HELD], nothing;
    for (int e = 0; e < VEC; ++e) nothing.at[e] = NOTHING;
    #pragma unroll
    for (int k = 0; k < KEPT; ++k) {
        int w = second + k * APART;
        if (w < words)
            copy_async(mine + k * THREADS, row + w);
        else
            mine[k * THREADS] = nothing;
    }
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        int w = first + k * APART;
        held[k] = w < words ? load(row + w) : nothing;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");   // for this thread's
    Part part = {LOWEST, 0.0f};   // of this thread, then of its warp
    #pragma unroll
    for (int k = 0; k < HELD; ++k) greatest(part, held[k]);
    #pragma unroll 2
    for (int k = 0; k < KEPT; ++k) greatest(part, mine[k * THREADS]);
    part.max = warp_max(part.max);
    #pragma unroll
    for (int k = 0; k < HELD; ++k) held[k] = terms(part, held[k]);
    #pragma unroll 2
    for (int k = 0; k < KEPT; ++k)
        mine[k * THREADS] = terms(part, mine[k * THREADS]);
    part.sum = warp_sum(part.sum);
    Part all = cluster_merged(part, rank);
    float scale = expf(part.max - all.max) / all.sum;
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        int w = first + k * APART;
        if (w < words) result[w] = scaled(held[k], scale);
    }
    #pragma unroll 2
    for (int k = 0; k < KEPT; ++k) {
        int w = second + k * APART;
        if (w < words) result[w] = scaled(mine[k * THREADS], scale);
    }
}

// softmax/10_both_bfloat16: long rows of bfloat16 in both memories. Words
//     stay as they came; an exponential is worked out twice, not kept.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  float -> bfloat16, exp kept -> exp worked out again
//           (from 07_both)
// Launch:   block (THREADS*ceil(cols/(THREADS*VEC*(HELD+KEPT)*CLUSTER))),
//           grid (CLUSTER*rows), shared_bytes 2*VEC*KEPT*THREADS
// Defines:  VEC = 8, HELD = 8, KEPT = 8, CLUSTER = 4, THREADS = 256,
//           BLOCKS = 4
// Cost:     4*rows*cols bytes, 3*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, VEC even, cols at most
//           THREADS*VEC*(HELD+KEPT)*CLUSTER, or the block has too many
//           threads; in and out start at multiples of 2*VEC bytes; an SM
//           shall hold BLOCKS blocks of THREADS threads
#ifndef VEC
#define VEC 8
#endif
#ifndef HELD
#define HELD 8
#endif
#ifndef KEPT
#define KEPT 8
#endif
#ifndef CLUSTER
#define CLUSTER 4
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING 0xff80   // minus infinity as a bfloat16: exp gives 0

struct alignas(2 * VEC) Word { unsigned short at[VEC]; };

// A bfloat16 is the upper half of a float.
__device__ __forceinline__ float widened(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

// Rounded to the nearest bfloat16.
__device__ __forceinline__ unsigned short rounded(float value)
{
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ __forceinline__ float exponential(float x)
{
    float power;   // of two, in one instruction
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(1.44269504f * x));
    return power;
}

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
        sum += of_warp[p].sum * exponential(of_warp[p].max - max);
    return {max, warp_sum(sum)};
}

// Takes a word's elements into the maximum.
__device__ __forceinline__ void greatest(Part& part, Word word)
{
    for (int e = 0; e < VEC; ++e)
        part.max = fmaxf(part.max, widened(word.at[e]));
}

// Takes a word's exp(element - max) into the sum.
__device__ __forceinline__ void add_terms(Part& part, Word word)
{
    for (int e = 0; e < VEC; ++e)
        part.sum += exponential(widened(word.at[e]) - part.max);
}

// The results of a word's elements.
__device__ __forceinline__ Word results(Word word, float max, float scale)
{
    for (int e = 0; e < VEC; ++e)
        word.at[e] = rounded(
            exponential(widened(word.at[e]) - max) * scale);
    return word;
}

// Lets the compiler forget what it has made of a word: it would keep the
// eight floats, which take twice the registers.
__device__ __forceinline__ void forget(Word& word)
{
    if (VEC == 8) {
        uint4& bits = reinterpret_cast<uint4&>(word);
        asm volatile("" : "+r"(bits.x), "+r"(bits.y), "+r"(bits.z),
                          "+r"(bits.w));
    }
}

// Global to shared memory, a word, with no register in between.
__device__ __forceinline__ void copy_async(Word* to, const Word* from)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
#if VEC == 8
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(place), "l"(from) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :: "r"(place), "l"(from), "n"(2 * VEC) : "memory");
#endif
}

extern "C" __cluster_dims__(CLUSTER, 1, 1) __global__
void __launch_bounds__(THREADS, BLOCKS) softmax_both_bfloat16(
    const unsigned short* __restrict__ in,   // [rows, cols]
    unsigned short* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    extern __shared__ Word kept[];   // [KEPT][THREADS]
    cluster_arrive();
    unsigned rank = blockIdx.x % CLUSTER;   // of this block in its cluster
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)(blockIdx.x / CLUSTER) * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)(blockIdx.x / CLUSTER) * cols);
    int words = cols / VEC;
    int first = rank * (HELD + KEPT) * THREADS + threadIdx.x;
    int second = first + HELD * THREADS;   // of the words in shared memory
    Word* mine = kept + threadIdx.x;       // of which this thread has these
    Word held[HELD], nothing;
    for (int e = 0; e < VEC; ++e) nothing.at[e] = NOTHING;
    #pragma unroll
    for (int k = 0; k < KEPT; ++k) {
        int w = second + k * THREADS;
        if (w < words)
            copy_async(mine + k * THREADS, row + w);
        else
            mine[k * THREADS] = nothing;
    }
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        int w = first + k * THREADS;
        held[k] = w < words ? row[w] : nothing;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");   // for this thread's
    Part part = {LOWEST, 0.0f};   // of this thread, then of its warp
    #pragma unroll
    for (int k = 0; k < HELD; ++k) greatest(part, held[k]);
    #pragma unroll 1
    for (int k = 0; k < KEPT; ++k) greatest(part, mine[k * THREADS]);
    part.max = warp_max(part.max);
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        forget(held[k]);
        add_terms(part, held[k]);
    }
    #pragma unroll 1
    for (int k = 0; k < KEPT; ++k) add_terms(part, mine[k * THREADS]);
    part.sum = warp_sum(part.sum);
    Part all = cluster_merged(part, rank);
    float scale = exponential(part.max - all.max) / all.sum;
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        int w = first + k * THREADS;
        forget(held[k]);
        if (w < words) result[w] = results(held[k], part.max, scale);
    }
    #pragma unroll 1
    for (int k = 0; k < KEPT; ++k) {
        int w = second + k * THREADS;
        if (w < words)
            result[w] = results(mine[k * THREADS], part.max, scale);
    }
}

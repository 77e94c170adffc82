// attention/29_taken: a warp that is free takes the next 16 keys, whichever
//     they are.
//
// out, lse: as in 21_decode; partial, part_lse: as in 22_split
//
// Changed:  each block has a share of the keys -> each warp takes tiles of
//           them from a counter                         (from 28_arrived)
// Launch:   block (32*WARPS), grid (split, heads/GROUP, batch)
// Defines:  GROUP = 4, WARPS = 8, BLOCKS = 2
// Cost:     512*batch*kv_heads*room bytes, 512*batch*heads*room flops
// Assumes:  sm_80; heads of 128 elements; GROUP at most 8, and it divides
//           heads/kv_heads; q, k and v start at multiples of 16 bytes; all
//           bits of partial and part_lse are ones, and taken is all zeros,
//           and are so again afterwards; blocks with lower numbers start
//           first
#ifndef GROUP
#define GROUP 4
#endif
#ifndef WARPS
#define WARPS 8
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0
#define EMPTY 0xffffffffu   // a NaN, and none that arithmetic gives
constexpr int D = 128, THREADS = 32 * WARPS;

// 32 elements of key j + g and of key j + 8 + g. Behind the last key there
// is the last one again: nobody looks at its score.
__device__ __forceinline__ void load_keys(
    uint4 (&keys)[2][4], const uint4* k, int j, int end)
{
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        int at = min(j + 8 * i + g, end - 1);
        #pragma unroll
        for (int w = 0; w < 4; ++w)
            keys[i][w] = __ldg(k + at * 16 + 4 * w + t);
    }
}

// Of the values j + 2t, j + 2t + 1, j + 2t + 8 and j + 2t + 9 the elements
// 8 * g to + 7, and the same 64 further on.
__device__ __forceinline__ void load_values(
    uint4 (&values)[4][2], const uint4* v, int j, int end)
{
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        int at = min(j + 2 * t + i % 2 + i / 2 * 8, end - 1);
        #pragma unroll
        for (int w = 0; w < 2; ++w)
            values[i][w] = __ldg(v + at * 16 + 8 * w + g);
    }
}

// acc += a * b: 16 rows by 8 columns. The lane has the rows g and g + 8.
__device__ __forceinline__ void multiply(
    float (&acc)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
    unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Two floats as two bfloat16, the first one in the lower half.
__device__ __forceinline__ unsigned pack(float first, float second)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(second), "f"(first));
    return both;
}

// Rows become columns: lane 4g + t has given row g, and gets column g.
__device__ __forceinline__ unsigned turn(unsigned pair)
{
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(pair));
    return pair;
}

// The maximum, or the sum, over the eight lanes that have one head.
__device__ __forceinline__ float head_max(float value)
{
    for (int far = 4; far < 32; far *= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, far));
    return value;
}

__device__ __forceinline__ float head_sum(float value)
{
    for (int far = 4; far < 32; far *= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// What the warps of a block have found, side by side.
struct Found {
    float max[WARPS][GROUP], sum[WARPS][GROUP], acc[WARPS][GROUP][D];
};

// The warps' results together: {log-sum-exp, element `at` of GROUP rows}.
__device__ __forceinline__ float2 merge_warps(const Found& found, int at)
{
    int row = at / D;
    float max = LOWEST, sum = 0.0f, acc = 0.0f;
    for (int w = 0; w < WARPS; ++w) max = fmaxf(max, found.max[w][row]);
    for (int w = 0; w < WARPS; ++w) {
        float weight = __expf(found.max[w][row] - max);
        sum += found.sum[w][row] * weight;
        acc += found.acc[w][row][at % D] * weight;
    }
    return {max + logf(sum), sum > 0.0f ? acc / sum : 0.0f};
}

// What places in memory have now. A plain load might be answered by the L1
// cache, time and again.
__device__ __forceinline__ unsigned look(const float* place)
{
    unsigned seen;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(seen) : "l"(place) : "memory");
    return seen;
}

__device__ __forceinline__ uint4 look_at_four(const float* place)
{
    uint4 seen;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(seen.x), "=r"(seen.y), "=r"(seen.z), "=r"(seen.w)
                 : "l"(place) : "memory");
    return seen;
}

__device__ __forceinline__ bool any_empty(uint4 seen)
{
    return seen.x == EMPTY || seen.y == EMPTY || seen.z == EMPTY
           || seen.w == EMPTY;
}

__device__ __forceinline__ void leave_empty(float* four, float* one)
{
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %1, %1, %1};"
                 :: "l"(four), "r"(EMPTY) : "memory");
    if (threadIdx.x % 32 == 0)
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
                     :: "l"(one), "r"(EMPTY) : "memory");
}

// A warp merges the shares warp, warp + WARPS, ... of each of GROUP rows as
// they arrive; a lane has four elements. Their places are empty afterwards.
__device__ __forceinline__ void gather(
    Found& found, float* partial, float* part_lse, long long row, int split)
{
    constexpr int ROUND = 2;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float max[GROUP], sum[GROUP];
    float4 acc[GROUP];
    #pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        max[g] = LOWEST;
        sum[g] = 0.0f;
        acc[g] = {};
    }
    for (int i = warp; i < split; i += ROUND * WARPS) {
        unsigned lse[GROUP][ROUND];
        uint4 held[GROUP][ROUND];
        bool missing;
        do {
            missing = false;
            #pragma unroll
            for (int g = 0; g < GROUP; ++g)
                #pragma unroll
                for (int r = 0; r < ROUND; ++r) {
                    int share = i + r * WARPS;
                    long long place = (row + g) * split + share;
                    lse[g][r] = share < split ? look(part_lse + place)
                                              : __float_as_uint(NOTHING);
                    held[g][r] = share < split
                        ? look_at_four(partial + place * D + 4 * lane)
                        : uint4{};
                }
            #pragma unroll
            for (int g = 0; g < GROUP; ++g)
                #pragma unroll
                for (int r = 0; r < ROUND; ++r)
                    missing |= lse[g][r] == EMPTY || any_empty(held[g][r]);
        } while (missing);
        __syncwarp();   // all lanes have seen the log-sum-exps
        #pragma unroll
        for (int g = 0; g < GROUP; ++g)
            #pragma unroll
            for (int r = 0; r < ROUND; ++r) {
                long long place = (row + g) * split + i + r * WARPS;
                if (i + r * WARPS < split)
                    leave_empty(partial + place * D + 4 * lane,
                                part_lse + place);
                float that = __uint_as_float(lse[g][r]);
                float higher = fmaxf(max[g], that);
                float shrink = __expf(max[g] - higher);
                float weight = __expf(that - higher);
                uint4 four = held[g][r];
                max[g] = higher;
                sum[g] = sum[g] * shrink + weight;
                acc[g].x = acc[g].x * shrink
                           + weight * __uint_as_float(four.x);
                acc[g].y = acc[g].y * shrink
                           + weight * __uint_as_float(four.y);
                acc[g].z = acc[g].z * shrink
                           + weight * __uint_as_float(four.z);
                acc[g].w = acc[g].w * shrink
                           + weight * __uint_as_float(four.w);
            }
    }
    #pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        found.max[warp][g] = max[g];
        found.sum[warp][g] = sum[g];
        *reinterpret_cast<float4*>(&found.acc[warp][g][4 * lane]) = acc[g];
    }
}

extern "C" __global__
void __launch_bounds__(THREADS, BLOCKS) attention_taken(
    const unsigned short* __restrict__ q,   // [batch, heads, 128], bfloat16
    const unsigned short* __restrict__ k,   // [batch, kv_heads, room, 128]
    const unsigned short* __restrict__ v,   // [batch, kv_heads, room, 128]
    const int* __restrict__ free,           // [batch], each from 0 to room
    float* __restrict__ out,                // [batch, heads, 128]
    float* __restrict__ lse,                // [batch, heads]
    float* partial,                         // [batch, heads, split, 128]
    float* part_lse,                        // [batch, heads, split]
    int* taken,                             // [batch, heads/GROUP]
    int batch, int heads, int kv_heads, int room, float scale, int split)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int g = lane / 4, t = lane % 4;   // the lane's row, and place in it
    int b = blockIdx.z, head = blockIdx.y * GROUP;
    int kv = head / (heads / kv_heads), length = room - free[b];
    int* ticket = taken + b * gridDim.y + blockIdx.y;
    long long row = (long long)b * heads + head;
    long long first = ((long long)b * kv_heads + kv) * room * 16;
    const uint4* my_k = reinterpret_cast<const uint4*>(k) + first;
    const uint4* my_v = reinterpret_cast<const uint4*>(v) + first;

    const uint4* my_q = reinterpret_cast<const uint4*>(q) + (row + g) * 16;
    uint4 query[4];   // word w has elements 32 * w + 8 * t to + 7 of row g
    #pragma unroll
    for (int w = 0; w < 4; ++w)
        query[w] = g < GROUP ? my_q[4 * w + t] : uint4{};
    float acc[8][4] = {}, max[2] = {LOWEST, LOWEST}, sum[2] = {};

    #pragma unroll 1
    for (int j = 16 * (blockIdx.x * WARPS + warp); j < length;) {
        int next = 0;   // is on its way while the tile is, too
        if (lane == 0) next = atomicAdd(ticket, 1);
        uint4 keys[2][4], values[4][2];
        load_keys(keys, my_k, j, length);
        load_values(values, my_v, j, length);
        float score[4] = {};   // of keys g and g + 8, by heads 2t, 2t + 1
        #pragma unroll
        for (int w = 0; w < 4; ++w) {
            multiply(score, keys[0][w].x, keys[1][w].x, keys[0][w].y,
                     keys[1][w].y, query[w].x, query[w].y);
            multiply(score, keys[0][w].z, keys[1][w].z, keys[0][w].w,
                     keys[1][w].w, query[w].z, query[w].w);
        }
        #pragma unroll
        for (int e = 0; e < 4; ++e)
            score[e] = j + g + e / 2 * 8 < length ? scale * score[e]
                                                  : NOTHING;
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            float higher = fmaxf(max[e],
                                 head_max(fmaxf(score[e], score[2 + e])));
            float shrink = __expf(max[e] - higher);
            max[e] = higher;
            score[e] = __expf(score[e] - higher);
            score[2 + e] = __expf(score[2 + e] - higher);
            sum[e] = sum[e] * shrink + score[e] + score[2 + e];
            #pragma unroll
            for (int m = 0; m < 8; ++m) {
                acc[m][e] *= shrink;
                acc[m][2 + e] *= shrink;
            }
        }
        unsigned low = turn(pack(score[0], score[1]));
        unsigned high = turn(pack(score[2], score[3]));
        #pragma unroll
        for (int m = 0; m < 8; ++m) {
            // Elements 2 * m and 2 * m + 1 of 16, each of two keys.
            unsigned pairs[2][2];
            #pragma unroll
            for (int i = 0; i < 2; ++i) {
                const uint4& a = values[2 * i][m / 4];
                const uint4& c = values[2 * i + 1][m / 4];
                unsigned p = m % 4;
                unsigned one = p == 0 ? a.x : p == 1 ? a.y
                               : p == 2 ? a.z : a.w;
                unsigned two = p == 0 ? c.x : p == 1 ? c.y
                               : p == 2 ? c.z : c.w;
                pairs[i][0] = __byte_perm(one, two, 0x5410);
                pairs[i][1] = __byte_perm(one, two, 0x7632);
            }
            multiply(acc[m], pairs[0][0], pairs[0][1], pairs[1][0],
                     pairs[1][1], low, high);
        }
        next = __shfl_sync(0xffffffff, next, 0);
        j = 16 * (split * WARPS + next);
    }

    __shared__ Found found;
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum[e] = head_sum(sum[e]);
        if (2 * t + e < GROUP) {
            found.max[warp][2 * t + e] = max[e];
            found.sum[warp][2 * t + e] = sum[e];
            #pragma unroll
            for (int m = 0; m < 8; ++m) {
                int at = m / 4 * 64 + 8 * g + m % 4 * 2;
                found.acc[warp][2 * t + e][at] = acc[m][e];
                found.acc[warp][2 * t + e][at + 1] = acc[m][2 + e];
            }
        }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < GROUP * D; at += THREADS) {
        float2 result = merge_warps(found, at);
        if (split == 1) {
            out[row * D + at] = result.y;
            if (at % D == 0) lse[row + at / D] = result.x;
        } else {
            long long place = (row + at / D) * split + blockIdx.x;
            volatile float* value = partial + place * D + at % D;
            volatile float* its_lse = part_lse + place;
            *value = result.y;
            if (at % D == 0) *its_lse = result.x;
        }
    }
    if (split == 1 && threadIdx.x == 0) atomicExch(ticket, 0);
    // The last share merges them all: those before it have started earlier.
    if (split > 1 && blockIdx.x == split - 1) {
        __syncthreads();   // everyone has read what the warps have found
        gather(found, partial, part_lse, row, split);
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(ticket, 0);   // all have ended
        for (int at = threadIdx.x; at < GROUP * D; at += THREADS) {
            float2 result = merge_warps(found, at);
            out[row * D + at] = result.y;
            if (at % D == 0) lse[row + at / D] = result.x;
        }
    }
}

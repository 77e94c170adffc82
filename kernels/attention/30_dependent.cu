// attention/30_dependent: the next layer's kernel may start early, asks for
//     its first keys, and waits where it needs what the one before writes.
//
// out, lse: as in 21_decode; partial, part_lse: as in 22_split
//
// Changed:  griddepcontrol: one to let the next kernel start, one to wait;
//           the first AHEAD keys into the L2 cache between them; the
//           queries are floats, as this kernel writes them (from 27_turned)
// Launch:   block (32*WARPS), grid (split, heads/GROUP, batch)
// Defines:  GROUP = 4, WARPS = 8, BLOCKS = 2, AHEAD = 128
// Cost:     512*batch*kv_heads*room bytes, 512*batch*heads*room flops
// Assumes:  sm_90; heads of 128 elements; GROUP at most 8, and it divides
//           heads/kv_heads; q, k and v start at multiples of 16 bytes; done
//           is all zeros, and is so again afterwards; the kernel before
//           writes none of k, v and free; a launch that allows an early
//           start, else nothing starts early
#ifndef GROUP
#define GROUP 4
#endif
#ifndef WARPS
#define WARPS 8
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef AHEAD
#define AHEAD 128
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0
constexpr int D = 128, THREADS = 32 * WARPS;
// AHEAD: keys of a block, and as many values, that are asked for in advance

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

// A warp merges the shares warp, warp + WARPS, ... of each of GROUP rows; a
// lane has four elements.
__device__ __forceinline__ void gather(
    Found& found, const float* partial, const float* part_lse,
    long long row, int split)
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
        float lse[GROUP][ROUND];
        float4 held[GROUP][ROUND];
        #pragma unroll
        for (int g = 0; g < GROUP; ++g)
            #pragma unroll
            for (int r = 0; r < ROUND; ++r) {
                int share = i + r * WARPS;
                long long place = (row + g) * split + share;
                lse[g][r] = share < split ? __ldcg(part_lse + place)
                                          : NOTHING;
                held[g][r] = share < split
                    ? __ldcg(reinterpret_cast<const float4*>(
                          partial + place * D) + lane) : float4{};
            }
        #pragma unroll
        for (int g = 0; g < GROUP; ++g)
            #pragma unroll
            for (int r = 0; r < ROUND; ++r) {
                float higher = fmaxf(max[g], lse[g][r]);
                float shrink = __expf(max[g] - higher);
                float weight = __expf(lse[g][r] - higher);
                max[g] = higher;
                sum[g] = sum[g] * shrink + weight;
                acc[g].x = acc[g].x * shrink + weight * held[g][r].x;
                acc[g].y = acc[g].y * shrink + weight * held[g][r].y;
                acc[g].z = acc[g].z * shrink + weight * held[g][r].z;
                acc[g].w = acc[g].w * shrink + weight * held[g][r].w;
            }
    }
    #pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        found.max[warp][g] = max[g];
        found.sum[warp][g] = sum[g];
        *reinterpret_cast<float4*>(&found.acc[warp][g][4 * lane]) = acc[g];
    }
}

// The first keys or values of a share, of 256 bytes each, into the L2 cache.
// Nothing is read, so nothing can come too early.
__device__ __forceinline__ void ask_ahead(const uint4* first, int count)
{
    if (count > 0)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                     :: "l"(first), "r"(256 * count) : "memory");
}

// Eight floats of a query as bfloat16. Past the L1 cache, and behind the
// wait: the kernel before has written them.
__device__ __forceinline__ uint4 load_query(const float* from)
{
    float4 a = __ldcg(reinterpret_cast<const float4*>(from));
    float4 b = __ldcg(reinterpret_cast<const float4*>(from) + 1);
    return {pack(a.x, a.y), pack(a.z, a.w), pack(b.x, b.y), pack(b.z, b.w)};
}

extern "C" __global__
void __launch_bounds__(THREADS, BLOCKS) attention_dependent(
    const float* q,                         // [batch, heads, 128]
    const unsigned short* __restrict__ k,   // [batch, kv_heads, room, 128]
    const unsigned short* __restrict__ v,   // [batch, kv_heads, room, 128]
    const int* __restrict__ free,           // [batch], each from 0 to room
    float* __restrict__ out,                // [batch, heads, 128]
    float* __restrict__ lse,                // [batch, heads]
    float* partial,                         // [batch, heads, split, 128]
    float* part_lse,                        // [batch, heads, split]
    unsigned* done,                         // [batch, heads/GROUP]
    int batch, int heads, int kv_heads, int room, float scale, int split)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int g = lane / 4, t = lane % 4;   // the lane's row, and place in it
    int b = blockIdx.z, head = blockIdx.y * GROUP;
    int kv = head / (heads / kv_heads), length = room - free[b];
    int share = (length + 16 * split - 1) / (16 * split) * 16;
    int begin = blockIdx.x * share, end = min(begin + share, length);
    long long row = (long long)b * heads + head;
    long long first = ((long long)b * kv_heads + kv) * room * 16;
    const uint4* my_k = reinterpret_cast<const uint4*>(k) + first;
    const uint4* my_v = reinterpret_cast<const uint4*>(v) + first;

    // This block has no objection if the next kernel starts.
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    int ahead = min(AHEAD, end - begin);
    if (threadIdx.x == 0) ask_ahead(my_k + begin * 16, ahead);
    if (threadIdx.x == 32) ask_ahead(my_v + begin * 16, ahead);
    // Returns when the kernel before has ended and its writes are visible.
    asm volatile("griddepcontrol.wait;" ::: "memory");

    const float* my_q = q + (row + g) * D;
    uint4 query[4];   // word w has elements 32 * w + 8 * t to + 7 of row g
    #pragma unroll
    for (int w = 0; w < 4; ++w)
        query[w] = g < GROUP ? load_query(my_q + 32 * w + 8 * t) : uint4{};
    float acc[8][4] = {}, max[2] = {LOWEST, LOWEST}, sum[2] = {};

    #pragma unroll 1
    for (int j = begin + 16 * warp; j < end; j += 16 * WARPS) {
        uint4 keys[2][4], values[4][2];
        load_keys(keys, my_k, j, end);
        load_values(values, my_v, j, end);
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
            score[e] = j + g + e / 2 * 8 < end ? scale * score[e] : NOTHING;
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
        long long place = (row + at / D) * split + blockIdx.x;
        partial[place * D + at % D] = result.y;
        if (at % D == 0) part_lse[place] = result.x;
    }
    // Who counts `done` up to split has seen all shares arrive.
    // atomicInc then begins again at 0, for the next launch.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(&done[b * gridDim.y + blockIdx.y], split - 1)
               == split - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        gather(found, partial, part_lse, row, split);
        __syncthreads();
        for (int at = threadIdx.x; at < GROUP * D; at += THREADS) {
            float2 result = merge_warps(found, at);
            out[row * D + at] = result.y;
            if (at % D == 0) lse[row + at / D] = result.x;
        }
    }
}

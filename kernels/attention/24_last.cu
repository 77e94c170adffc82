// attention/24_last: the last of the blocks that share a cache merges what
//     all have left, within the same launch.
//
// out, lse: as in 21_decode; partial, part_lse: as in 22_split
//
// Changed:  a second kernel merges -> the last block does  (from 22_split)
// Launch:   block (256), grid (split, heads/GROUP, batch)
// Defines:  GROUP = 1, KEYS = 1
// Cost:     512*batch*kv_heads*room bytes, 512*batch*heads*room flops
// Assumes:  heads of 128 elements; GROUP divides heads/kv_heads; q, k and v
//           start at multiples of 16 bytes; done is all zeros, and is so
//           again afterwards
#ifndef GROUP
#define GROUP 1
#endif
#ifndef KEYS
#define KEYS 1
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0
constexpr int D = 128, LANES = D / 8, WARPS = 8, THREADS = 32 * WARPS;
constexpr int TEAMS = THREADS / LANES;
// KEYS: of a half warp, whose loads are on their way together

// Of some keys: the greatest score, the sum of exp(score - max), and the
// sum of exp(score - max) * v, of which a lane has eight elements.
struct Part { float max, sum, acc[8]; };

// Eight bfloat16 of an array, 16 bytes.
__device__ __forceinline__ uint4 take(const unsigned short* array,
                                      long long word)
{
    return __ldg(reinterpret_cast<const uint4*>(array) + word);
}

// Eight bfloat16 to floats: each is the upper half of one.
__device__ __forceinline__ void widen(uint4 word, float (&to)[8])
{
    unsigned pairs[4] = {word.x, word.y, word.z, word.w};
    #pragma unroll
    for (int p = 0; p < 4; ++p) {
        to[2 * p] = __uint_as_float(pairs[p] << 16);
        to[2 * p + 1] = __uint_as_float(pairs[p] & 0xffff0000);
    }
}

// The sum over the half warp that has a key; each of its lanes has it.
__device__ __forceinline__ float team_sum(float value)
{
    #pragma unroll
    for (int far = LANES / 2; far > 0; far /= 2)
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

// Adds KEYS keys to a Part.
__device__ __forceinline__ void add(Part& part, const float (&score)[KEYS],
                                    const uint4 (&values)[KEYS])
{
    float max = part.max;
    #pragma unroll
    for (int i = 0; i < KEYS; ++i) max = fmaxf(max, score[i]);
    float shrink = __expf(part.max - max);
    part.max = max;
    part.sum *= shrink;
    for (int e = 0; e < 8; ++e) part.acc[e] *= shrink;
    #pragma unroll
    for (int i = 0; i < KEYS; ++i) {
        float weight = __expf(score[i] - max), value[8];
        widen(values[i], value);
        part.sum += weight;
        for (int e = 0; e < 8; ++e) part.acc[e] += weight * value[e];
    }
}

// The Part of a whole warp, from the Parts of its halves.
__device__ __forceinline__ void merge_halves(Part& part)
{
    float max = fmaxf(part.max, __shfl_xor_sync(0xffffffff, part.max, 16));
    float shrink = __expf(part.max - max);
    part.max = max;
    part.sum *= shrink;
    part.sum += __shfl_xor_sync(0xffffffff, part.sum, 16);
    for (int e = 0; e < 8; ++e) {
        part.acc[e] *= shrink;
        part.acc[e] += __shfl_xor_sync(0xffffffff, part.acc[e], 16);
    }
}

// For GROUP rows from `row` on: merges `split` Parts of each.
__device__ __forceinline__ void merge_shares(
    const float* partial, const float* part_lse, float* out, float* lse,
    long long row, int split)
{
    for (int at = threadIdx.x; at < GROUP * D; at += THREADS) {
        long long first = (row + at / D) * split;
        float max = LOWEST, sum = 0.0f, acc = 0.0f;
        #pragma unroll 8
        for (int i = 0; i < split; ++i)
            max = fmaxf(max, __ldcg(part_lse + first + i));
        #pragma unroll 8
        for (int i = 0; i < split; ++i) {
            float weight = __expf(__ldcg(part_lse + first + i) - max);
            sum += weight;
            acc += weight * __ldcg(partial + (first + i) * D + at % D);
        }
        out[row * D + at] = sum > 0.0f ? acc / sum : 0.0f;
        if (at % D == 0) lse[row + at / D] = max + logf(sum);
    }
}

extern "C" __global__
void __launch_bounds__(THREADS) attention_last(
    const unsigned short* __restrict__ q,   // [batch, heads, 128], bfloat16
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
    int team = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    int b = blockIdx.z, head = blockIdx.y * GROUP;
    int kv = head / (heads / kv_heads), length = room - free[b];
    int share = (length + 16 * split - 1) / (16 * split) * 16;
    int begin = blockIdx.x * share, end = min(begin + share, length);
    long long row = (long long)b * heads + head;
    long long first = ((long long)b * kv_heads + kv) * room * LANES + lane;

    float query[GROUP][8];
    Part part[GROUP];
    #pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        widen(take(q, (row + g) * LANES + lane), query[g]);
        part[g] = {LOWEST};
    }
    #pragma unroll 1
    for (int j = begin; j < end; j += TEAMS * KEYS) {
        uint4 keys[KEYS], values[KEYS];
        #pragma unroll
        for (int i = 0; i < KEYS; ++i) {
            int at = j + i * TEAMS + team;
            keys[i] = at < end ? take(k, first + at * LANES) : uint4{};
            values[i] = at < end ? take(v, first + at * LANES) : uint4{};
        }
        float score[GROUP][KEYS];
        #pragma unroll
        for (int i = 0; i < KEYS; ++i) {
            float key[8];
            widen(keys[i], key);
            bool counts = j + i * TEAMS + team < end;
            #pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                float product = 0.0f;
                for (int e = 0; e < 8; ++e) product += query[g][e] * key[e];
                product = team_sum(product);
                score[g][i] = counts ? scale * product : NOTHING;
            }
        }
        #pragma unroll
        for (int g = 0; g < GROUP; ++g) add(part[g], score[g], values);
    }

    __shared__ Found found;
    int warp = threadIdx.x / 32;
    #pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        merge_halves(part[g]);
        if (threadIdx.x % 32 < LANES) {
            found.max[warp][g] = part[g].max;
            found.sum[warp][g] = part[g].sum;
            for (int e = 0; e < 8; ++e)
                found.acc[warp][g][8 * lane + e] = part[g].acc[e];
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
        merge_shares(partial, part_lse, out, lse, row, split);
    }
}

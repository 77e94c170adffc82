// attention/29_together: no product begins before all loads of a turn have
//     been asked for. The compiler's order is the only thing that changes.
//
// out, lse: as in 21_decode
//
// Changed:  a product begins with a zero made of all loads (from 21_decode)
// Launch:   block (256), grid (heads/GROUP, batch)
// Defines:  GROUP = 1, KEYS = 1
// Cost:     512*batch*kv_heads*room bytes, 512*batch*heads*room flops
// Assumes:  heads of 128 elements; GROUP divides heads/kv_heads; q, k and v
//           start at multiples of 16 bytes
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

extern "C" __global__
void __launch_bounds__(THREADS) attention_together(
    const unsigned short* __restrict__ q,   // [batch, heads, 128], bfloat16
    const unsigned short* __restrict__ k,   // [batch, kv_heads, room, 128]
    const unsigned short* __restrict__ v,   // [batch, kv_heads, room, 128]
    const int* __restrict__ free,           // [batch], each from 0 to room
    float* __restrict__ out,                // [batch, heads, 128]
    float* __restrict__ lse,                // [batch, heads]
    int batch, int heads, int kv_heads, int room, float scale)
{
    int team = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    int b = blockIdx.y, head = blockIdx.x * GROUP;
    int kv = head / (heads / kv_heads), length = room - free[b];
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
    for (int j = 0; j < length; j += TEAMS * KEYS) {
        uint4 keys[KEYS], values[KEYS];
        #pragma unroll
        for (int i = 0; i < KEYS; ++i) {
            int at = j + i * TEAMS + team;
            keys[i] = at < length ? take(k, first + at * LANES) : uint4{};
            values[i] = at < length ? take(v, first + at * LANES) : uint4{};
        }
        unsigned zero = 0;   // of every word of the turn
        #pragma unroll
        for (int i = 0; i < KEYS; ++i) zero |= keys[i].x | values[i].x;
        zero &= (unsigned)(free[b] >> 31);   // 0: no count is negative
        float score[GROUP][KEYS];
        #pragma unroll
        for (int i = 0; i < KEYS; ++i) {
            float key[8];
            widen(keys[i], key);
            bool counts = j + i * TEAMS + team < length;
            #pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                float product = __uint_as_float(zero);
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
        out[row * D + at] = result.y;
        if (at % D == 0) lse[row + at / D] = result.x;
    }
}

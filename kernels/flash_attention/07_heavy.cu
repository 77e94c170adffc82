// flash_attention/07_heavy: with a causal mask the blocks with most keys
//     start first.
//
// o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
// s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
// If CAUSAL, query i meets the keys j <= i + offset.
//
// Changed:  block x has rows x -> the x-th from the end   (from 06_rows)
// Launch:   block (32*WARPS),
//           grid (ceil(q_len/(16*TILES*WARPS)), batch*heads),
//           shared_bytes 2*HEAD*(16*TILES*WARPS + 4*BN)
// Defines:  HEAD = 128, CAUSAL = 0, BN = 64, WARPS = 4, TILES = 2
// Cost:     4*(batch*heads*q_len + batch*kv_heads*kv_len)*HEAD bytes,
//           4*batch*heads*q_len*kv_len*HEAD flops
// Assumes:  HEAD is 64 or 128; kv_heads divides heads; sm_80
#ifndef HEAD
#define HEAD 128
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef BN
#define BN 64
#endif
#ifndef WARPS
#define WARPS 4
#endif
#ifndef TILES
#define TILES 2
#endif
constexpr int THREADS = 32 * WARPS;
constexpr int BM = 16 * TILES * WARPS;         // TILES of 16 rows a warp
constexpr int RUN = 8;                         // of 16 bytes
constexpr int DOWN = THREADS / (HEAD / RUN);   // rows between one thread's
constexpr int BYTES = 2 * BN * HEAD;           // of a tile of k or v
static_assert(DOWN % 8 == 0 && BN % DOWN == 0, "every copy swizzles alike");
#include "parts.cuh"

// Starts to copy a tile to shared memory; zeros where not inside.
template <int ROWS>
__device__ __forceinline__
void fetch(unsigned int to, const unsigned short* from, int row0, int rows)
{
    const int row = threadIdx.x / (HEAD / RUN),
              col = threadIdx.x % (HEAD / RUN) * RUN;
    from += (size_t)(row0 + row) * HEAD + col;
    to += swizzled(row, col);
    #pragma unroll
    for (int t = 0; t < ROWS; t += DOWN) {
        const bool inside = row0 + row + t < rows;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :: "r"(to + 2 * t * HEAD),
                        "l"(inside ? from + t * HEAD : from - row * HEAD),
                        "r"(inside ? 16 : 0) : "memory");
    }
}

extern "C" __global__
void __launch_bounds__(THREADS) flash_attention_heavy(
    const unsigned short* __restrict__ q,   // [batch*heads, q_len, HEAD]
    const unsigned short* __restrict__ k,   // [batch*kv_heads, kv_len, HEAD]
    const unsigned short* __restrict__ v,   // [batch*kv_heads, kv_len, HEAD]
    unsigned short* __restrict__ o,         // [batch*heads, q_len, HEAD]
    float* __restrict__ lse,                // [batch*heads, q_len]
    int batch, int heads, int kv_heads, int q_len, int kv_len, int offset)
{
    // The rows of q, then two stages of k, then two of v.
    extern __shared__ __align__(1024) unsigned short tiles[];
    const unsigned int q_tile = __cvta_generic_to_shared(tiles),
                       k_tiles = q_tile + 2 * BM * HEAD,
                       v_tiles = k_tiles + 2 * BYTES;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int head = blockIdx.y, kv_head = head / (heads / kv_heads);
    const int tile = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const int row0 = tile * BM, my_row = 16 * TILES * warp;
    q += (size_t)head * q_len * HEAD;
    k += (size_t)kv_head * kv_len * HEAD;
    v += (size_t)kv_head * kv_len * HEAD;
    // The block's last row meets keys up to here, its first up to `common`.
    const int keys = CAUSAL ? min(kv_len, row0 + BM + offset) : kv_len,
              common = CAUSAL ? min(kv_len, row0 + 1 + offset) : kv_len;
    fetch<BM>(q_tile, q, row0, q_len);
    if (keys > 0) {
        fetch<BN>(k_tiles, k, 0, kv_len);
        fetch<BN>(v_tiles, v, 0, kv_len);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    // What this lane reads first. Further along a row is another XOR.
    const unsigned int
        q_at = q_tile + swizzled(my_row + lane % 16, lane / 16 * 8),
        k_at = k_tiles + swizzled(lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8),
        v_at = v_tiles + swizzled(lane % 16, lane / 16 * 8);
    float out[TILES][HEAD / 8][4] = {}, sum[TILES][2] = {};
    float most[TILES][2];
    #pragma unroll
    for (int y = 0; y < TILES; ++y) most[y][0] = most[y][1] = NOTHING;
    int stage = 0;
    for (int key0 = 0; key0 < keys; key0 += BN, stage ^= 1) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (key0 + BN < keys) {
            fetch<BN>(k_tiles + (stage ^ 1) * BYTES, k, key0 + BN, kv_len);
            fetch<BN>(v_tiles + (stage ^ 1) * BYTES, v, key0 + BN, kv_len);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        float scores[TILES][BN / 8][4] = {};
        #pragma unroll
        for (int i = 0; i < HEAD / 16; ++i) {
            unsigned int q_frag[TILES][4], k_frag[4];
            #pragma unroll
            for (int y = 0; y < TILES; ++y)
                read(q_frag[y], (q_at ^ 32 * i) + y * 16 * HEAD * 2);
            #pragma unroll
            for (int x = 0; x < BN / 8; ++x) {
                if (x % 2 == 0)
                    read(k_frag, (k_at ^ 32 * i) + stage * BYTES
                         + x * 8 * HEAD * 2);
                #pragma unroll
                for (int y = 0; y < TILES; ++y)
                    multiply(scores[y][x], q_frag[y], &k_frag[x % 2 * 2]);
            }
        }
        if (key0 + BN > common)
            mask(scores, key0, row0 + my_row, kv_len, offset);
        softmax(scores, out, most, sum);
        #pragma unroll
        for (int i = 0; i < BN / 16; ++i) {
            unsigned int weights[TILES][4], v_frag[4];
            #pragma unroll
            for (int y = 0; y < TILES; ++y)
                #pragma unroll
                for (int w = 0; w < 4; ++w)
                    weights[y][w] = round_two(
                        scores[y][2 * i + w / 2][w % 2 * 2],
                        scores[y][2 * i + w / 2][w % 2 * 2 + 1]);
            #pragma unroll
            for (int x = 0; x < HEAD / 8; ++x) {
                if (x % 2 == 0)
                    read_turned(v_frag, (v_at ^ 16 * x) + stage * BYTES
                                + i * 16 * HEAD * 2);
                #pragma unroll
                for (int y = 0; y < TILES; ++y)
                    multiply(out[y][x], weights[y], &v_frag[x % 2 * 2]);
            }
        }
    }
    #pragma unroll
    for (int y = 0; y < TILES; ++y)
        #pragma unroll
        for (int half = 0; half < 2; ++half) {
            float total = sum[y][half];
            total += __shfl_xor_sync(~0u, total, 1);
            total += __shfl_xor_sync(~0u, total, 2);
            const int row = row0 + my_row + 16 * y + 8 * half + lane / 4;
            const size_t at = (size_t)head * q_len + row;
            store_row(o + at * HEAD, out[y], half,
                      total > 0 ? 1 / total : 0.0f, row < q_len);
            if (row < q_len && lane % 4 == 0)
                lse[at] = total > 0 ? most[y][half] * SCALE + logf(total)
                                    : NOTHING;
        }
}

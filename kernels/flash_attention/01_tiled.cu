// flash_attention/01_tiled: tile after tile of keys and values passes
//     through shared memory; what a row has so far shrinks when its maximum
//     grows. No score is ever written to memory.
//
// o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
// s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
// If CAUSAL, query i meets the keys j <= i + offset.
//
// Launch:   block (256), grid (ceil(q_len/32), batch*heads),
//           shared_bytes 4*(96*HEAD + 32 + 1024)
// Defines:  HEAD = 128, CAUSAL = 0
// Cost:     8*(batch*heads*q_len + batch*kv_heads*kv_len)*HEAD bytes,
//           4*batch*heads*q_len*kv_len*HEAD flops
// Assumes:  HEAD is 64 or 128; kv_heads divides heads
#ifndef HEAD
#define HEAD 128
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
constexpr int THREADS = 256, ROWS = 4;   // of a warp
constexpr int BM = 32, BN = 32;          // rows of a block, keys of a tile
constexpr float SCALE = HEAD == 64 ? 0.125f : 0.0883883476f;
#define NOTHING __int_as_float(0xff800000)   // minus infinity

// Copies rows to shared memory; zeros where there are none.
template <int PITCH>
__device__ __forceinline__
void fetch(float* to, const float* from, int row0, int rows)
{
    for (int i = threadIdx.x; i < 32 * HEAD; i += THREADS) {
        const int row = i / HEAD, col = i % HEAD;
        to[row * PITCH + col] = row0 + row < rows
            ? from[(size_t)(row0 + row) * HEAD + col] : 0.0f;
    }
}

__device__ __forceinline__ float warp_max(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, far));
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(~0u, value, far);
    return value;
}

extern "C" __global__
void __launch_bounds__(THREADS) flash_attention_tiled(
    const float* __restrict__ q,   // [batch*heads, q_len, HEAD]
    const float* __restrict__ k,   // [batch*kv_heads, kv_len, HEAD]
    const float* __restrict__ v,   // [batch*kv_heads, kv_len, HEAD]
    float* __restrict__ o,         // [batch*heads, q_len, HEAD]
    float* __restrict__ lse,       // [batch*heads, q_len]
    int batch, int heads, int kv_heads, int q_len, int kv_len, int offset)
{
    extern __shared__ float tiles[];
    float* q_tile = tiles;
    float* k_tile = q_tile + BM * HEAD;         // a column more: lanes read
    float* v_tile = k_tile + BN * (HEAD + 1);   // 32 rows, in 32 banks
    float* weights = v_tile + BN * HEAD;        // of each warp ROWS * BN
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int head = blockIdx.y, kv_head = head / (heads / kv_heads);
    const int row0 = blockIdx.x * BM, my_row = warp * ROWS;
    q += (size_t)head * q_len * HEAD;
    k += (size_t)kv_head * kv_len * HEAD;
    v += (size_t)kv_head * kv_len * HEAD;
    weights += warp * ROWS * BN;
    float out[ROWS][HEAD / 32] = {}, most[ROWS], sum[ROWS] = {};
    for (int r = 0; r < ROWS; ++r) most[r] = NOTHING;
    fetch<HEAD>(q_tile, q, row0, q_len);
    for (int key0 = 0; key0 < kv_len; key0 += BN) {
        fetch<HEAD + 1>(k_tile, k, key0, kv_len);
        fetch<HEAD>(v_tile, v, key0, kv_len);
        __syncthreads();
        // A lane has one key, and the warp's rows one after another.
        #pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const int row = row0 + my_row + r, key = key0 + lane;
            float score = 0.0f;
            #pragma unroll 8
            for (int i = 0; i < HEAD; ++i)
                score += q_tile[(my_row + r) * HEAD + i]
                         * k_tile[lane * (HEAD + 1) + i];
            score *= SCALE;
            if (key >= kv_len || (CAUSAL && key > row + offset))
                score = NOTHING;
            const float top = fmaxf(most[r], warp_max(score));
            // A row that has met no key yet: exp(NOTHING - 0) is 0.
            const float base = top == NOTHING ? 0.0f : top;
            const float weight = expf(score - base);
            const float shrink = expf(most[r] - base);
            sum[r] = sum[r] * shrink + warp_sum(weight);
            most[r] = top;
            for (int c = 0; c < HEAD / 32; ++c) out[r][c] *= shrink;
            weights[r * BN + lane] = weight;
        }
        __syncwarp();
        // Now a lane has columns of the output.
        #pragma unroll
        for (int r = 0; r < ROWS; ++r)
            #pragma unroll 8
            for (int key = 0; key < BN; ++key)
                for (int c = 0; c < HEAD / 32; ++c)
                    out[r][c] += weights[r * BN + key]
                                 * v_tile[key * HEAD + lane + 32 * c];
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int row = row0 + my_row + r;
        const size_t place = (size_t)head * q_len + row;
        if (row < q_len) {
            for (int c = 0; c < HEAD / 32; ++c)
                o[place * HEAD + lane + 32 * c] =
                    sum[r] > 0 ? out[r][c] / sum[r] : 0.0f;
            if (lane == 0)
                lse[place] = sum[r] > 0 ? most[r] + logf(sum[r]) : NOTHING;
        }
    }
}

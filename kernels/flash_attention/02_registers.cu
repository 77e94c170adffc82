// flash_attention/02_registers: a thread has 4 x 4 scores and 4 rows of
//     outputs in registers: 64 multiply-adds for 8 reads of 16 bytes.
//
// o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
// s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
// If CAUSAL, query i meets the keys j <= i + offset.
//
// Changed:  rewrite: 16 threads share 4 rows, where a warp had them
//           (from 01_tiled)
// Launch:   block (256), grid (ceil(q_len/64), batch*heads),
//           shared_bytes 4*64*(3*HEAD + 8)
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
constexpr int THREADS = 256, ROWS = 4, KEYS = 4;   // of a thread
constexpr int BM = 64, BN = 64;        // rows of a block, keys of a tile
constexpr int PITCH = HEAD + 4;        // of rows read side by side
constexpr int W_PITCH = BN + 4;
constexpr int QUADS = HEAD / 64;       // of columns of a thread's output
constexpr float SCALE = HEAD == 64 ? 0.125f : 0.0883883476f;
#define NOTHING __int_as_float(0xff800000)   // minus infinity

__device__ __forceinline__ float4& quad(float* shared)
{
    return *reinterpret_cast<float4*>(shared);
}

// Copies rows to shared memory; zeros where there are none.
template <int TO_PITCH>
__device__ __forceinline__
void fetch(float* to, const float* from, int row0, int rows)
{
    #pragma unroll
    for (int i = 4 * threadIdx.x; i < 64 * HEAD; i += 4 * THREADS) {
        const int row = i / HEAD, col = i % HEAD;
        const float4* there = reinterpret_cast<const float4*>(
            from + (size_t)(row0 + row) * HEAD + col);
        quad(to + row * TO_PITCH + col) =
            row0 + row < rows ? *there : float4{};
    }
}

__device__ __forceinline__ float dot(float4 a, float4 b, float sum)
{
    return a.x * b.x + (a.y * b.y + (a.z * b.z + (a.w * b.w + sum)));
}

__device__ __forceinline__ void add(float4& to, float weight, float4 value)
{
    to.x += weight * value.x;
    to.y += weight * value.y;
    to.z += weight * value.z;
    to.w += weight * value.w;
}

__device__ __forceinline__ float4 times(float4 quad, float factor)
{
    return make_float4(quad.x * factor, quad.y * factor, quad.z * factor,
                       quad.w * factor);
}

// Of the 16 threads that share their rows.
__device__ __forceinline__ float team_max(float value)
{
    for (int far = 8; far > 0; far /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, far));
    return value;
}

__device__ __forceinline__ float team_sum(float value)
{
    for (int far = 8; far > 0; far /= 2)
        value += __shfl_xor_sync(~0u, value, far);
    return value;
}

extern "C" __global__
void __launch_bounds__(THREADS) flash_attention_registers(
    const float* __restrict__ q,   // [batch*heads, q_len, HEAD]
    const float* __restrict__ k,   // [batch*kv_heads, kv_len, HEAD]
    const float* __restrict__ v,   // [batch*kv_heads, kv_len, HEAD]
    float* __restrict__ o,         // [batch*heads, q_len, HEAD]
    float* __restrict__ lse,       // [batch*heads, q_len]
    int batch, int heads, int kv_heads, int q_len, int kv_len, int offset)
{
    extern __shared__ __align__(16) float tiles[];
    float* q_tile = tiles;
    float* k_tile = q_tile + BM * PITCH;
    float* weights = k_tile;   // take the place of k, once it is used
    float* v_tile = k_tile + BN * PITCH;
    const int team = threadIdx.x / 16, me = threadIdx.x % 16;
    const int head = blockIdx.y, kv_head = head / (heads / kv_heads);
    const int row0 = blockIdx.x * BM, my_row = team * ROWS;
    q += (size_t)head * q_len * HEAD;
    k += (size_t)kv_head * kv_len * HEAD;
    v += (size_t)kv_head * kv_len * HEAD;
    float4 out[ROWS][QUADS] = {};
    float most[ROWS], sum[ROWS] = {};
    for (int r = 0; r < ROWS; ++r) most[r] = NOTHING;
    fetch<PITCH>(q_tile, q, row0, q_len);
    for (int key0 = 0; key0 < kv_len; key0 += BN) {
        fetch<PITCH>(k_tile, k, key0, kv_len);
        fetch<HEAD>(v_tile, v, key0, kv_len);
        __syncthreads();
        // A thread's keys are 16 apart: its neighbours' lie beside them.
        float scores[ROWS][KEYS] = {};
        #pragma unroll 4
        for (int i = 0; i < HEAD; i += 4) {
            float4 q_frag[ROWS], k_frag[KEYS];
            for (int r = 0; r < ROWS; ++r)
                q_frag[r] = quad(q_tile + (my_row + r) * PITCH + i);
            for (int c = 0; c < KEYS; ++c)
                k_frag[c] = quad(k_tile + (me + 16 * c) * PITCH + i);
            for (int r = 0; r < ROWS; ++r)
                for (int c = 0; c < KEYS; ++c)
                    scores[r][c] = dot(q_frag[r], k_frag[c], scores[r][c]);
        }
        __syncthreads();
        for (int r = 0; r < ROWS; ++r) {
            const int row = row0 + my_row + r;
            float top = most[r];
            for (int c = 0; c < KEYS; ++c) {
                const int key = key0 + me + 16 * c;
                scores[r][c] *= SCALE;
                if (key >= kv_len || (CAUSAL && key > row + offset))
                    scores[r][c] = NOTHING;
                top = fmaxf(top, scores[r][c]);
            }
            top = team_max(top);
            // A row that has met no key yet: exp(NOTHING - 0) is 0.
            const float base = top == NOTHING ? 0.0f : top;
            const float shrink = expf(most[r] - base);
            float total = 0.0f;
            for (int c = 0; c < KEYS; ++c) {
                const float weight = expf(scores[r][c] - base);
                weights[(my_row + r) * W_PITCH + me + 16 * c] = weight;
                total += weight;
            }
            sum[r] = sum[r] * shrink + team_sum(total);
            most[r] = top;
            for (int c = 0; c < QUADS; ++c)
                out[r][c] = times(out[r][c], shrink);
        }
        __syncwarp();   // a team lies in one warp
        #pragma unroll 4
        for (int key = 0; key < BN; key += 4) {
            float4 v_frag[4][QUADS];
            for (int x = 0; x < 4; ++x)
                for (int c = 0; c < QUADS; ++c)
                    v_frag[x][c] = quad(v_tile + (key + x) * HEAD + 4 * me
                                        + 64 * c);
            for (int r = 0; r < ROWS; ++r) {
                const float4 weight =
                    quad(weights + (my_row + r) * W_PITCH + key);
                for (int c = 0; c < QUADS; ++c) {
                    add(out[r][c], weight.x, v_frag[0][c]);
                    add(out[r][c], weight.y, v_frag[1][c]);
                    add(out[r][c], weight.z, v_frag[2][c]);
                    add(out[r][c], weight.w, v_frag[3][c]);
                }
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < ROWS; ++r) {
        const int row = row0 + my_row + r;
        const size_t place = (size_t)head * q_len + row;
        if (row < q_len) {
            for (int c = 0; c < QUADS; ++c)
                quad(o + place * HEAD + 4 * me + 64 * c) =
                    times(out[r][c], sum[r] > 0 ? 1 / sum[r] : 0.0f);
            if (me == 0)
                lse[place] = sum[r] > 0 ? most[r] + logf(sum[r]) : NOTHING;
        }
    }
}

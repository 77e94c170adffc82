// flash_attention/08_wgmma: Hopper: the copy engine fetches, and groups of
//     four warps multiply from shared memory.
//
// o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
// s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
// If CAUSAL, query i meets the keys j <= i + offset.
//
// Changed:  rewrite: tensor maps, wgmma, a group that fetches
//           (from 07_heavy)
// Launch:   block (128*(GROUPS + 1)),
//           grid (ceil(q_len/(64*GROUPS)), batch*heads),
//           shared_bytes 2*HEAD*(64*GROUPS + 2*STAGES*BN)
// Defines:  HEAD = 128, CAUSAL = 0, BN = 128, GROUPS = 2, STAGES = 2,
//           OUT_FLOAT = 0
// Cost:     4*(batch*heads*q_len + batch*kv_heads*kv_len)*HEAD bytes,
//           4*batch*heads*q_len*kv_len*HEAD flops
// Maps:     q in boxes (1, 64*GROUPS, 64), k and v in boxes (1, BN, 64);
//           bfloat16, swizzle 128B
// Assumes:  HEAD is 64 or 128, BN is that or 176; kv_heads divides
//           heads; sm_90a
#ifndef HEAD
#define HEAD 128
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef BN
#define BN 128
#endif
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef OUT_FLOAT
#define OUT_FLOAT 0
#endif
constexpr int BM = 64 * GROUPS;                // rows of q; 64 of a group
constexpr int THREADS = 128 * (GROUPS + 1);    // the last group fetches
constexpr int Q_BYTES = 2 * BM * HEAD, KV_BYTES = 2 * BN * HEAD;  // of tiles
#include "parts.cuh"

__shared__ Barrier q_full, k_full[STAGES], v_full[STAGES],
                   k_free[STAGES], v_free[STAGES];

__device__ __forceinline__ void init_barriers()
{
    q_full.init(1);
    for (int stage = 0; stage < STAGES; ++stage) {
        k_full[stage].init(1);
        v_full[stage].init(1);
        k_free[stage].init(GROUPS);
        v_free[stage].init(GROUPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Tile after tile of k and v, as stages become free.
__device__ __forceinline__ void fetch_tiles(
    const TensorMap& k, const TensorMap& v, int keys, int kv_head,
    Place& place)
{
    for (int key0 = 0; key0 < keys; key0 += BN, place.next()) {
        const int stage = place.stage;
        k_free[stage].wait(place.round ^ 1);
        fetch(k_tile(stage), k, KV_BYTES, key0, kv_head, k_full[stage]);
        v_free[stage].wait(place.round ^ 1);
        fetch(v_tile(stage), v, KV_BYTES, key0, kv_head, v_full[stage]);
    }
}

// A group's 64 rows meet their keys, tile after tile. row: this thread's
// first; common: all rows meet the keys before it.
__device__ __forceinline__ void attend(
    float (&out)[HEAD / 2], float (&most)[2], float (&sum)[2], int row,
    int keys, int common, int kv_len, int offset, Place& k_place,
    Place& v_place)
{
    const int group = threadIdx.x / 128;
    const bool first = threadIdx.x % 128 == 0;
    const unsigned int q_tile = at(tiles) + group * 64 * 128;
    float scores[BN / 2], shrink[2];
    unsigned int weights[BN / 4];
    for (int key0 = 0; key0 < keys; key0 += BN) {
        k_full[k_place.stage].wait(k_place.round);
        multiply_qk(scores, q_tile, k_tile(k_place.stage));
        wait_for_products<0>(scores);
        if (first) k_free[k_place.stage].arrive();
        k_place.next();
        if (key0 + BN > common) mask(scores, key0, row, kv_len, offset);
        softmax(scores, most, sum, shrink);
        round_weights(weights, scores);
        rescale(out, shrink);
        v_full[v_place.stage].wait(v_place.round);
        multiply_pv(out, weights, v_tile(v_place.stage));
        wait_for_products<0>(out);
        if (first) v_free[v_place.stage].arrive();
        v_place.next();
    }
}

extern "C" __global__
void __launch_bounds__(THREADS, 1) flash_attention_wgmma(
    const __grid_constant__ TensorMap q,    // [batch*heads, q_len, HEAD]
    const __grid_constant__ TensorMap k,    // [batch*kv_heads, kv_len, HEAD]
    const __grid_constant__ TensorMap v,    // [batch*kv_heads, kv_len, HEAD]
    Output* __restrict__ o,                 // [batch*heads, q_len, HEAD]
    float* __restrict__ lse,                // [batch*heads, q_len]
    int batch, int heads, int kv_heads, int q_len, int kv_len, int offset)
{
    const int group = threadIdx.x / 128;
    const int head = blockIdx.y, kv_head = head / (heads / kv_heads);
    const int row0 = (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * BM;
    // The block's last row meets keys up to here.
    const int keys = CAUSAL ? min(kv_len, min(row0 + BM, q_len) + offset)
                            : kv_len;
    if (threadIdx.x == 0) init_barriers();
    __syncthreads();
    if (group == GROUPS) {
        give_registers<GROUPS == 2 ? 24 : 32>();
        if (threadIdx.x == 128 * GROUPS && keys > 0) {
            Place place;
            fetch(at(tiles), q, Q_BYTES, row0, head, q_full);
            fetch_tiles(k, v, keys, kv_head, place);
        }
    } else {
        take_registers<GROUPS == 2 ? 240 : 160>();
        Place k_place, v_place;
        const int row = row0 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
        const int common =
            CAUSAL ? min(kv_len, row0 + 64 * group + 1 + offset) : kv_len;
        float out[HEAD / 2] = {};
        float most[2] = {NOTHING, NOTHING}, sum[2] = {};
        if (keys > 0) q_full.wait(0);
        attend(out, most, sum, row, keys, common, kv_len, offset, k_place,
               v_place);
        store_rows(o, lse, out, most, sum, row, head, q_len);
    }
}

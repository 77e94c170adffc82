// flash_attention/21_waits: where a group waits, and whether the groups take
//     turns, are defines; and one group can be alone. All else stays equal.
//
// o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
// s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
// If CAUSAL, query i meets the keys j <= i + offset.
//
// WAIT: 0 for each product by itself, 1 for both before the softmax, 2 for
// p v behind the exponentials, 3 for p v between maxima and exponentials.
//
// Changed:  + WAIT, + TURNS, + GROUPS = 1   (from 19_loops, which has 3, 1)
// Launch:   block (128*(GROUPS + 1)),
//           grid (SMs),
//           shared_bytes 2*HEAD*(64*GROUPS + 2*STAGES*BN)
// Defines:  HEAD = 128, CAUSAL = 0, BN = 128, GROUPS = 2, STAGES = 2,
//           SECTION = 16, WAIT = 3, TURNS = 1, OUT_FLOAT = 0
// Cost:     4*(batch*heads*q_len + batch*kv_heads*kv_len)*HEAD bytes,
//           4*batch*heads*q_len*kv_len*HEAD flops
// Maps:     q in boxes (1, 64*GROUPS, 64), k and v in boxes (1, BN, 64);
//           bfloat16, swizzle 128B
// Assumes:  HEAD is 64 or 128, BN is that or 176; kv_heads divides
//           heads; launches of one module one after another; sm_90a
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
#ifndef SECTION
#define SECTION 16
#endif
#ifndef WAIT
#define WAIT 3
#endif
#ifndef TURNS
#define TURNS 1
#endif
#ifndef OUT_FLOAT
#define OUT_FLOAT 0
#endif
constexpr int BM = 64 * GROUPS;                // rows of q; 64 of a group
constexpr int THREADS = 128 * (GROUPS + 1);    // the last group fetches
constexpr int Q_BYTES = 2 * BM * HEAD, KV_BYTES = 2 * BN * HEAD;  // of tiles
constexpr bool IN_TURN = TURNS && GROUPS > 1;
#include "parts.cuh"

__shared__ Barrier q_full, q_free, k_full[STAGES], v_full[STAGES],
                   k_free[STAGES], v_free[STAGES];
__shared__ int next;   // piece of work; guarded as the tile of q is

__device__ __forceinline__ void init_barriers()
{
    q_full.init(1);
    q_free.init(128 * GROUPS);
    for (int stage = 0; stage < STAGES; ++stage) {
        k_full[stage].init(1);
        v_full[stage].init(1);
        k_free[stage].init(GROUPS);
        v_free[stage].init(GROUPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Tile after tile, as stages become free: k one tile ahead of v.
__device__ __forceinline__ void fetch_tiles(
    const TensorMap& k, const TensorMap& v, int keys, int kv_head,
    Place& place)
{
    Place behind = place;
    for (int key0 = 0; key0 < keys + BN; key0 += BN) {
        if (key0 < keys) {
            const int stage = place.stage;
            k_free[stage].wait(place.round ^ 1);
            fetch(k_tile(stage), k, KV_BYTES, key0, kv_head, k_full[stage]);
            place.next();
        }
        if (key0 > 0) {
            const int stage = behind.stage;
            v_free[stage].wait(behind.round ^ 1);
            fetch(v_tile(stage), v, KV_BYTES, key0 - BN, kv_head,
                  v_full[stage]);
            behind.next();
        }
    }
}

// A group's 64 rows meet their keys, tile after tile. row: this thread's
// first; common: all rows meet the keys before it.
__device__ __forceinline__ void attend(
    float (&out)[HEAD / 2], float (&most)[2], float (&sum)[2], int row,
    int keys, int common, int kv_len, int offset, Place& k_place,
    Place& v_place)
{
    const int group = uniform(threadIdx.x / 128);
    const bool first = threadIdx.x % 128 == 0;
    const unsigned long long q_tile =
        describe(at(tiles) + group * 64 * 128, 16);
    float scores[BN / 2], base[2], shrink[2];
    unsigned int weights[BN / 4];
    if (keys > 0) {
        k_full[k_place.stage].wait(k_place.round);
        multiply_qk(scores, q_tile, describe(k_tile(k_place.stage), 16));
        wait_for_products<0>(scores);
        if (first) k_free[k_place.stage].arrive();
        k_place.next();
        if (BN > common) mask(scores, 0, row, kv_len, offset);
        softmax(scores, most, sum, shrink);
        round_weights(weights, scores);
    }
    if (BN < keys) k_full[k_place.stage].wait(k_place.round);
    const auto attend_tile = [&](int key0, bool masked) {
        if constexpr (IN_TURN) wait_for_turn(group);
        multiply_qk(scores, q_tile, describe(k_tile(k_place.stage), 16));
        if constexpr (WAIT == 0) wait_for_products<0>(scores);
        v_full[v_place.stage].wait(v_place.round);
        multiply_pv(out, weights,
                    describe(v_tile(v_place.stage), BN * 128));
        if constexpr (IN_TURN) give_turn(group);
        wait_for_products<(WAIT > 1)>(scores);
        if constexpr (WAIT < 2) settle(out);
        if (first) k_free[k_place.stage].arrive();
        if (WAIT < 2 && first) v_free[v_place.stage].arrive();
        k_place.next();
        const bool more = key0 + BN < keys;   // a branch keeps waits in place
        if (WAIT < 2 && more) k_full[k_place.stage].wait(k_place.round);
        if (masked) mask(scores, key0, row, kv_len, offset);
        find_most(scores, most, base, shrink);
        if constexpr (WAIT == 2) weigh(scores, sum, base, shrink);
        if (WAIT > 1 && more) k_full[k_place.stage].wait(k_place.round);
        if constexpr (WAIT > 1) wait_for_products<0>(out);
        if (WAIT > 1 && first) v_free[v_place.stage].arrive();
        v_place.next();
        if constexpr (WAIT != 2) weigh(scores, sum, base, shrink);
        round_weights(weights, scores);
        rescale(out, shrink);
    };
    int key0 = BN;
    for (; key0 + BN <= min(common, keys); key0 += BN)
        attend_tile(key0, false);
    for (; key0 < keys; key0 += BN) attend_tile(key0, true);
    q_free.arrive();   // all threads have read `next`, and q is used
    if (keys > 0) {
        v_full[v_place.stage].wait(v_place.round);
        multiply_pv(out, weights,
                    describe(v_tile(v_place.stage), BN * 128));
        wait_for_products<0>(out);
        if (first) v_free[v_place.stage].arrive();
        v_place.next();
    }
}

// One tile of rows of one head, and how many keys it meets.
struct Work { int row0, head, keys; };

// The n-th. One section of heads comes after the other. With a mask the rows
// of a section that meet most keys come first; else a section is one head.
// heads: all of them; sharing: so many have the same keys and values.
__device__ __forceinline__
Work work(int n, int heads, int sharing, int q_len, int kv_len, int offset)
{
    const int tiles = (q_len + BM - 1) / BM;
    const int fit = (SECTION << 20) / (4 * HEAD) / max(kv_len, 1);
    const int size = CAUSAL ? max(fit, 1) * sharing : 1;
    const int first = n / (size * tiles) * size;
    const int here = max(min(size, heads - first), 1);  // none past the end
    const int m = n - first * tiles;
    Work found;
    const int tile = tiles - 1 - m / here;
    found.row0 = tile * BM;
    found.head = first + m % here;
    found.keys = CAUSAL ? min(kv_len, min(found.row0 + BM, q_len) + offset)
                       : kv_len;
    return found;
}

// The next piece of work that no block has, and the blocks that are done.
__device__ unsigned int taken, done;

extern "C" __global__
void __launch_bounds__(THREADS, 1) flash_attention_waits(
    const __grid_constant__ TensorMap q,    // [batch*heads, q_len, HEAD]
    const __grid_constant__ TensorMap k,    // [batch*kv_heads, kv_len, HEAD]
    const __grid_constant__ TensorMap v,    // [batch*kv_heads, kv_len, HEAD]
    Output* __restrict__ o,                 // [batch*heads, q_len, HEAD]
    float* __restrict__ lse,                // [batch*heads, q_len]
    int batch, int heads, int kv_heads, int q_len, int kv_len, int offset)
{
    const int group = uniform(threadIdx.x / 128);
    const int count = (q_len + BM - 1) / BM * batch * heads;
    if (threadIdx.x == 0) init_barriers();
    __syncthreads();
    if (group == GROUPS) {
        if constexpr (GROUPS > 1) give_registers<GROUPS == 2 ? 40 : 32>();
        Place place;
        int q_round = 0;
        if (threadIdx.x == 128 * GROUPS) {
            for (int n = blockIdx.x; ; q_round ^= 1) {
                const Work now = work(n, batch * heads, heads / kv_heads,
                                      q_len, kv_len, offset);
                q_free.wait(q_round ^ 1);
                next = n;
                if (n < count && now.keys > 0)
                    fetch(at(tiles), q, Q_BYTES, now.row0, now.head, q_full);
                else q_full.arrive();
                if (n >= count) break;
                n = gridDim.x + atomicAdd(&taken, 1);
                fetch_tiles(k, v, now.keys, now.head / (heads / kv_heads),
                            place);
            }
            // The last block leaves everything as it was.
            __threadfence();
            if (atomicAdd(&done, 1) == gridDim.x - 1) taken = done = 0;
        }
    } else {
        if constexpr (GROUPS > 1) take_registers<GROUPS == 2 ? 232 : 160>();
        Place k_place, v_place;
        int q_round = 0;
        if (IN_TURN && group == GROUPS - 1) give_turn(group);
        for (;; q_round ^= 1) {
            q_full.wait(q_round);
            const int n = uniform(next);
            if (n >= count) break;
            const Work now = work(n, batch * heads, heads / kv_heads, q_len,
                                  kv_len, offset);
            const int row0 = now.row0 + 64 * group,
                      row = row0 + threadIdx.x % 128 / 32 * 16
                            + threadIdx.x % 32 / 4;
            const int common =
                CAUSAL ? min(kv_len, row0 + 1 + offset) : kv_len;
            float out[HEAD / 2] = {};
            float most[2] = {NOTHING, NOTHING}, sum[2] = {};
            attend(out, most, sum, row, now.keys, common, kv_len, offset,
                   k_place, v_place);
            store_rows(o, lse, out, most, sum, row, now.head, q_len);
        }
    }
}

// flash_attention/14_sections: with a mask, a few heads at a time, whose keys
//     and values stay in the L2 cache until all their rows have met them.
//
// o[i, :] = sum over j of exp(s[i, j] - lse[i]) * v[j, :],
// s[i, j] = q[i, :] . k[j, :] / sqrt(HEAD), lse[i] = log(sum of exp(s[i, j]))
// If CAUSAL, query i meets the keys j <= i + offset.
//
// Changed:  the longest rows of all heads first -> those of SECTION MiB of
//           keys and values first   (from 13_dynamic)
// Launch:   block (128*(GROUPS + 1)),
//           grid (SMs),
//           shared_bytes 2*HEAD*(64*GROUPS + 2*STAGES*BN)
// Defines:  HEAD = 128, CAUSAL = 0, BN = 128, GROUPS = 2, STAGES = 2,
//           SECTION = 16, OUT_FLOAT = 0
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
#ifndef OUT_FLOAT
#define OUT_FLOAT 0
#endif
constexpr int BM = 64 * GROUPS;                // rows of q; 64 of a group
constexpr int THREADS = 128 * (GROUPS + 1);    // the last group fetches
constexpr int Q_BYTES = 2 * BM * HEAD, KV_BYTES = 2 * BN * HEAD;  // of tiles
constexpr float SCALE = HEAD == 64 ? 0.125f : 0.0883883476f,
                FACTOR = SCALE * 1.44269504f;  // exp2 takes exp's place
#define NOTHING __int_as_float(0xff800000)     // minus infinity
struct alignas(64) TensorMap { unsigned long long words[16]; };

__device__ __forceinline__ unsigned int at(const void* shared)
{
    return __cvta_generic_to_shared(shared);
}

struct Barrier {
    unsigned long long state;

    __device__ __forceinline__ void init(int arrivals)
    {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                     :: "r"(at(this)), "r"(arrivals) : "memory");
    }
    __device__ __forceinline__ void arrive()
    {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                     :: "r"(at(this)) : "memory");
    }
    __device__ __forceinline__ void expect(int bytes)
    {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(at(this)), "r"(bytes) : "memory");
    }
    __device__ __forceinline__ void wait(int parity)
    {
        asm volatile("{.reg .pred done;\n"
                     "again: mbarrier.try_wait.parity.shared::cta.b64 "
                     "done, [%0], %1;\n"
                     "@!done bra again;}"
                     :: "r"(at(this)), "r"(parity) : "memory");
    }
};

// A place in a ring of stages, and how often it went round (modulo 2).
struct Place {
    int stage = 0, round = 0;

    __device__ __forceinline__ void next()
    {
        if (++stage == STAGES) stage = 0, round ^= 1;
    }
};

// Copies rows of one head, 64 columns at a time, as the map's box says.
__device__ __forceinline__ void fetch(
    unsigned int to, const TensorMap& map, int bytes, int row, int head,
    Barrier& full)
{
    full.expect(bytes);
    #pragma unroll
    for (int col = 0; col < HEAD; col += 64)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3, %4}], [%5];"
                     :: "r"(to + col / 64 * (bytes / (HEAD / 64))),
                        "l"(&map), "r"(col), "r"(row), "r"(head),
                        "r"(at(&full)) : "memory");
}

// The tile of q, then the stages of k, then those of v.
extern __shared__ __align__(1024) unsigned char tiles[];
__shared__ Barrier q_full, q_free, k_full[STAGES], v_full[STAGES],
                   k_free[STAGES], v_free[STAGES];
__shared__ int next;   // piece of work; guarded as the tile of q is

__device__ __forceinline__ unsigned int k_tile(int stage)
{
    return at(tiles) + Q_BYTES + stage * KV_BYTES;
}

__device__ __forceinline__ unsigned int v_tile(int stage)
{
    return k_tile(STAGES + stage);
}

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

// What wgmma wants to know of a tile with rows of 128 bytes that TMA has
// swizzled: address, bytes to the next 64 columns, to the next 8 rows.
__device__ __forceinline__
unsigned long long describe(unsigned int address, int across)
{
    return (unsigned long long)address >> 4
           | (unsigned long long)(across >> 4) << 16 | 64ull << 32
           | 1ull << 62;
}

// Whatever writes registers above this line stays above it, and whatever
// reads them below stays below. The compiler knows of no such order.
template <int COUNT>
__device__ __forceinline__ void settle(float (&registers)[COUNT])
{
    #pragma unroll
    for (int i = 0; i < COUNT; ++i) asm volatile("" : "+f"(registers[i]));
}

template <int COUNT>
__device__ __forceinline__ void settle(unsigned int (&registers)[COUNT])
{
    #pragma unroll
    for (int i = 0; i < COUNT; ++i) asm volatile("" : "+r"(registers[i]));
}

__device__ __forceinline__ void begin_products()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void end_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// All but the last `left` groups of products are done.
template <int LEFT, int COUNT>
__device__ __forceinline__ void wait_for_products(float (&acc)[COUNT])
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory");
    settle(acc);
}

#define EIGHT(i) \
    "+f"(acc[i]), "+f"(acc[i + 1]), "+f"(acc[i + 2]), "+f"(acc[i + 3]), \
    "+f"(acc[i + 4]), "+f"(acc[i + 5]), "+f"(acc[i + 6]), "+f"(acc[i + 7])

// acc {+}= a * b: 64 rows; 64 x 16 and 16 x BN, both in shared memory.
__device__ __forceinline__ void multiply(
    float (&acc)[32], unsigned long long a, unsigned long long b, int add)
{
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31}, "
        "%32, %33, add, 1, 1, 0, 0;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)
        : "l"(a), "l"(b), "r"(add));
}

__device__ __forceinline__ void multiply(
    float (&acc)[64], unsigned long long a, unsigned long long b, int add)
{
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
        "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, "
        "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, add, 1, 1, 0, 0;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),
          EIGHT(48), EIGHT(56)
        : "l"(a), "l"(b), "r"(add));
}

__device__ __forceinline__ void multiply(
    float (&acc)[88], unsigned long long a, unsigned long long b, int add)
{
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %90, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
        "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, "
        "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, "
        "%67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87}, "
        "%88, %89, add, 1, 1, 0, 0;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),
          EIGHT(48), EIGHT(56), EIGHT(64), EIGHT(72), EIGHT(80)
        : "l"(a), "l"(b), "r"(add));
}

// acc += a * b: a in registers, and b has its rows as rows: transposed.
__device__ __forceinline__ void multiply(
    float (&acc)[32], const unsigned int* a, unsigned long long b)
{
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, add, 1, 1, 1;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}

__device__ __forceinline__ void multiply(
    float (&acc)[64], const unsigned int* a, unsigned long long b)
{
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
        "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, "
        "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "{%64, %65, %66, %67}, %68, add, 1, 1, 1;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),
          EIGHT(48), EIGHT(56)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}

// 64 rows of q by the BN rows of k.
__device__ __forceinline__ void multiply_qk(
    float (&scores)[BN / 2], unsigned int q_tile, unsigned int k_tile)
{
    begin_products();
    #pragma unroll
    for (int i = 0; i < HEAD; i += 16)
        multiply(scores,
                 describe(q_tile + i / 64 * BM * 128 + i % 64 * 2, 16),
                 describe(k_tile + i / 64 * BN * 128 + i % 64 * 2, 16),
                 i > 0);
    end_products();
}

// The weights of 64 rows by the BN rows of v.
__device__ __forceinline__ void multiply_pv(
    float (&out)[HEAD / 2], unsigned int (&weights)[BN / 4],
    unsigned int v_tile)
{
    settle(out);
    settle(weights);
    begin_products();
    #pragma unroll
    for (int i = 0; i < BN; i += 16)
        multiply(out, weights + i / 4, describe(v_tile + i * 128, BN * 128));
    end_products();
}

// Rounds two neighbours into one word.
__device__ __forceinline__ unsigned int round_two(float left, float right)
{
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(right), "f"(left));
    return both;
}

// volatile: it stays above the waits that stand below it.
__device__ __forceinline__ float exp2_of(float value)
{
    float power;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(value));
    return power;
}

// No query meets a key past its last one. row: this thread's first.
__device__ __forceinline__ void mask(
    float (&scores)[BN / 2], int key0, int row, int kv_len, int offset)
{
    #pragma unroll
    for (int i = 0; i < BN / 2; ++i) {
        const int key = key0 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
        if (key >= kv_len || (CAUSAL && key > row + i / 2 % 2 * 8 + offset))
            scores[i] = NOTHING;
    }
}

// Scores become weights exp(s - most). shrink: what older sums and outputs
// are worth, now that a row's maximum has grown.
__device__ __forceinline__ void softmax(
    float (&scores)[BN / 2], float (&most)[2], float (&sum)[2],
    float (&shrink)[2])
{
    #pragma unroll
    for (int half = 0; half < 2; ++half) {
        float top = most[half];
        #pragma unroll
        for (int i = 2 * half; i < BN / 2; i += 4)
            top = fmaxf(top, fmaxf(scores[i], scores[i + 1]));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        // A row that has met no key yet: exp2(NOTHING - 0) is 0.
        const float base = top == NOTHING ? 0.0f : top * FACTOR;
        shrink[half] = exp2_of(most[half] * FACTOR - base);
        most[half] = top;
        sum[half] *= shrink[half];
        #pragma unroll
        for (int i = 2 * half; i < BN / 2; i += 4) {
            scores[i] = exp2_of(scores[i] * FACTOR - base);
            scores[i + 1] = exp2_of(scores[i + 1] * FACTOR - base);
            sum[half] += scores[i] + scores[i + 1];
        }
    }
}

// The accumulators of a product have the order of another's operand a.
__device__ __forceinline__ void round_weights(
    unsigned int (&weights)[BN / 4], const float (&scores)[BN / 2])
{
    #pragma unroll
    for (int i = 0; i < BN / 4; ++i)
        weights[i] = round_two(scores[2 * i], scores[2 * i + 1]);
}

__device__ __forceinline__
void rescale(float (&out)[HEAD / 2], const float (&shrink)[2])
{
    #pragma unroll
    for (int i = 0; i < HEAD / 2; ++i) out[i] *= shrink[i / 2 % 2];
}

// A group waits for its turn to start products, and gives it to the next.
__device__ __forceinline__ void wait_for_turn(int group)
{
    asm volatile("bar.sync %0, 256;" :: "r"(1 + group) : "memory");
}

__device__ __forceinline__ void give_turn(int group)
{
    asm volatile("bar.arrive %0, 256;"
                 :: "r"(group + 1 == GROUPS ? 1 : 2 + group) : "memory");
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
    if (keys > 0) {
        k_full[k_place.stage].wait(k_place.round);
        multiply_qk(scores, q_tile, k_tile(k_place.stage));
        wait_for_products<0>(scores);
        if (first) k_free[k_place.stage].arrive();
        k_place.next();
        if (BN > common) mask(scores, 0, row, kv_len, offset);
        softmax(scores, most, sum, shrink);
        round_weights(weights, scores);
    }
    for (int key0 = BN; key0 < keys; key0 += BN) {
        k_full[k_place.stage].wait(k_place.round);
        wait_for_turn(group);
        multiply_qk(scores, q_tile, k_tile(k_place.stage));
        v_full[v_place.stage].wait(v_place.round);
        multiply_pv(out, weights, v_tile(v_place.stage));
        give_turn(group);
        wait_for_products<0>(scores);
        settle(out);
        if (first) k_free[k_place.stage].arrive();
        if (first) v_free[v_place.stage].arrive();
        k_place.next();
        v_place.next();
        if (key0 + BN > common) mask(scores, key0, row, kv_len, offset);
        softmax(scores, most, sum, shrink);
        round_weights(weights, scores);
        rescale(out, shrink);
    }
    q_free.arrive();   // all threads have read `next`, and q is used
    if (keys > 0) {
        v_full[v_place.stage].wait(v_place.round);
        multiply_pv(out, weights, v_tile(v_place.stage));
        wait_for_products<0>(out);
        if (first) v_free[v_place.stage].arrive();
        v_place.next();
    }
}

// Four lanes hold four words each. Afterwards the first of them has word 0
// of all four, the second word 1 of all four, and so on.
__device__ __forceinline__ void exchange(unsigned int (&words)[4])
{
    #pragma unroll
    for (int apart = 1; apart <= 2; apart *= 2) {
        const bool upper = threadIdx.x & apart;
        #pragma unroll
        for (int w = 0; w < 4; ++w)
            if ((w & apart) == 0) {
                const unsigned int theirs = __shfl_xor_sync(
                    ~0u, upper ? words[w] : words[w + apart], apart);
                if (upper) words[w] = theirs;
                else words[w + apart] = theirs;
            }
    }
}

#if OUT_FLOAT
typedef float Output;
#else
typedef unsigned short Output;
#endif

// A lane rounds two columns of each of four blocks of 8 and stores all
// eight columns of one.
__device__ __forceinline__ void store_row(
    Output* row, const float (&out)[HEAD / 2], int half, float factor,
    bool inside)
{
#if OUT_FLOAT
    #pragma unroll
    for (int i = 2 * half; i < HEAD / 2; i += 4)
        if (inside)
            *reinterpret_cast<float2*>(row + 2 * i - 4 * half
                                       + threadIdx.x % 4 * 2) =
                make_float2(out[i] * factor, out[i + 1] * factor);
#else
    #pragma unroll
    for (int i = 2 * half; i < HEAD / 2; i += 16) {
        unsigned int words[4];
        #pragma unroll
        for (int w = 0; w < 4; ++w)
            words[w] = round_two(out[i + 4 * w] * factor,
                                 out[i + 4 * w + 1] * factor);
        exchange(words);
        if (inside)
            *reinterpret_cast<uint4*>(row + 2 * i - 4 * half
                                      + threadIdx.x % 4 * 8) =
                make_uint4(words[0], words[1], words[2], words[3]);
    }
#endif
}

// Of 64 rows; row: this thread's first, in a head of q_len.
__device__ __forceinline__ void store(
    Output* o, float* lse, const float (&out)[HEAD / 2],
    const float (&most)[2], const float (&sum)[2], int row, int head,
    int q_len)
{
    #pragma unroll
    for (int half = 0; half < 2; ++half) {
        float total = sum[half];
        total += __shfl_xor_sync(~0u, total, 1);
        total += __shfl_xor_sync(~0u, total, 2);
        const bool inside = row + 8 * half < q_len;
        const size_t place = (size_t)head * q_len + row + 8 * half;
        store_row(o + place * HEAD, out, half, total > 0 ? 1 / total : 0.0f,
                  inside);
        if (inside && threadIdx.x % 4 == 0)
            lse[place] = total > 0 ? most[half] * SCALE + logf(total)
                                   : NOTHING;
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
    Work work;
    const int tile = tiles - 1 - m / here;
    work.row0 = tile * BM;
    work.head = first + m % here;
    work.keys = CAUSAL ? min(kv_len, min(work.row0 + BM, q_len) + offset)
                       : kv_len;
    return work;
}

// The next piece of work that no block has, and the blocks that are done.
__device__ unsigned int taken, done;

extern "C" __global__
void __launch_bounds__(THREADS, 1) flash_attention_sections(
    const __grid_constant__ TensorMap q,    // [batch*heads, q_len, HEAD]
    const __grid_constant__ TensorMap k,    // [batch*kv_heads, kv_len, HEAD]
    const __grid_constant__ TensorMap v,    // [batch*kv_heads, kv_len, HEAD]
    Output* __restrict__ o,                 // [batch*heads, q_len, HEAD]
    float* __restrict__ lse,                // [batch*heads, q_len]
    int batch, int heads, int kv_heads, int q_len, int kv_len, int offset)
{
    const int group = threadIdx.x / 128;
    const int count = (q_len + BM - 1) / BM * batch * heads;
    if (threadIdx.x == 0) init_barriers();
    __syncthreads();
    if (group == GROUPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;"
                     :: "n"(GROUPS == 2 ? 40 : 32));
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
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;"
                     :: "n"(GROUPS == 2 ? 232 : 160));
        Place k_place, v_place;
        int q_round = 0;
        if (group == GROUPS - 1) give_turn(group);
        for (;; q_round ^= 1) {
            q_full.wait(q_round);
            const int n = next;
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
            store(o, lse, out, most, sum, row, now.head, q_len);
        }
    }
}

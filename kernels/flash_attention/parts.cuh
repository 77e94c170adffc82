// flash_attention/parts: what this topic's kernels on tensor cores share.
//
// A kernel includes it below its defines and constants: BM rows of q and BN
// keys make a tile, HEAD numbers a row. Kernels for Hopper have GROUPS, warp
// groups that multiply, and STAGES; the others multiply with mma.sync.
constexpr float SCALE = HEAD == 64 ? 0.125f : 0.0883883476f,
                FACTOR = SCALE * 1.44269504f;  // exp2 takes exp's place
#define NOTHING __int_as_float(0xff800000)     // minus infinity

// Rounds two neighbours into one word.
__device__ __forceinline__ unsigned int round_two(float left, float right)
{
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(right), "f"(left));
    return both;
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

#ifndef GROUPS   // ---------------------------------------------- mma.sync

// Where a tile keeps an element, in bytes: runs of 8 change places, in
// each row in another way.
__device__ __forceinline__ unsigned int swizzled(int row, int col)
{
    return 2 * (row * HEAD + (col ^ row % 8 * 8));
}

// Four 8 x 8 matrices. A lane gives the address of one row.
__device__ __forceinline__
void read(unsigned int (&frag)[4], unsigned int address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3},"
                 " [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"(address) : "memory");
}

// The same, and each matrix comes transposed.
__device__ __forceinline__
void read_turned(unsigned int (&frag)[4], unsigned int address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                 " {%0, %1, %2, %3}, [%4];"
                 : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
                 : "r"(address) : "memory");
}

// acc += a * b: 16 x 8 of the product, from 16 x 16 and 16 x 8.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ float exp2_of(float value)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(value));
    return power;
}

// No query row of the warp meets a key past its last one.
__device__ __forceinline__ void mask(
    float (&scores)[TILES][BN / 8][4], int key0, int row0, int kv_len,
    int offset)
{
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int y = 0; y < TILES; ++y)
        #pragma unroll
        for (int x = 0; x < BN / 8; ++x)
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int key = key0 + 8 * x + lane % 4 * 2 + e % 2,
                          row = row0 + 16 * y + lane / 4 + e / 2 * 8;
                if (key >= kv_len || (CAUSAL && key > row + offset))
                    scores[y][x][e] = NOTHING;
            }
}

// Scores become weights exp(s - most). Old sums and outputs shrink when a
// row's maximum grows.
__device__ __forceinline__ void softmax(
    float (&scores)[TILES][BN / 8][4], float (&out)[TILES][HEAD / 8][4],
    float (&most)[TILES][2], float (&sum)[TILES][2])
{
    #pragma unroll
    for (int y = 0; y < TILES; ++y)
        #pragma unroll
        for (int half = 0; half < 2; ++half) {
            float top = most[y][half];
            #pragma unroll
            for (int x = 0; x < BN / 8; ++x)
                top = fmaxf(top, fmaxf(scores[y][x][2 * half],
                                       scores[y][x][2 * half + 1]));
            top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
            top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
            // A row that has met no key yet: exp2(NOTHING - 0) is 0.
            const float base = top == NOTHING ? 0.0f : top * FACTOR;
            const float shrink = exp2_of(most[y][half] * FACTOR - base);
            most[y][half] = top;
            sum[y][half] *= shrink;
            #pragma unroll
            for (int x = 0; x < BN / 8; ++x)
                #pragma unroll
                for (int e = 2 * half; e < 2 * half + 2; ++e) {
                    scores[y][x][e] = exp2_of(scores[y][x][e] * FACTOR
                                              - base);
                    sum[y][half] += scores[y][x][e];
                }
            #pragma unroll
            for (int x = 0; x < HEAD / 8; ++x) {
                out[y][x][2 * half] *= shrink;
                out[y][x][2 * half + 1] *= shrink;
            }
        }
}

// A lane rounds two columns of each of four blocks of 8 and stores all
// eight columns of one.
__device__ __forceinline__ void store_row(
    unsigned short* row, const float (&out)[HEAD / 8][4], int half,
    float factor, bool inside)
{
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int x = 0; x < HEAD / 8; x += 4) {
        unsigned int words[4];
        #pragma unroll
        for (int w = 0; w < 4; ++w)
            words[w] = round_two(out[x + w][2 * half] * factor,
                                 out[x + w][2 * half + 1] * factor);
        exchange(words);
        if (inside)
            *reinterpret_cast<uint4*>(row + 8 * (x + lane % 4)) =
                make_uint4(words[0], words[1], words[2], words[3]);
    }
}

#else   // -------------------------------------------------------- Hopper

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

// A number that is the same in all lanes of a warp, which the compiler does
// not know: it may then keep it in a register that the warp shares.
__device__ __forceinline__ int uniform(int number)
{
    return __shfl_sync(~0u, number, 0);
}

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

__device__ __forceinline__ unsigned int k_tile(int stage)
{
    return at(tiles) + Q_BYTES + stage * KV_BYTES;
}

__device__ __forceinline__ unsigned int v_tile(int stage)
{
    return k_tile(STAGES + stage);
}

// The fetching group hands registers back, the others ask for more: COUNT a
// thread.
template <int COUNT>
__device__ __forceinline__ void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(COUNT));
}

template <int COUNT>
__device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(COUNT));
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

// Both again, for tiles that are described already. A descriptor counts in
// 16 bytes; the rest of a tile is a constant further.
__device__ __forceinline__ void multiply_qk(
    float (&scores)[BN / 2], unsigned long long q, unsigned long long k)
{
    begin_products();
    #pragma unroll
    for (int i = 0; i < HEAD; i += 16)
        multiply(scores, q + (i / 64 * BM * 128 + i % 64 * 2) / 16,
                 k + (i / 64 * BN * 128 + i % 64 * 2) / 16, i > 0);
    end_products();
}

__device__ __forceinline__ void multiply_pv(
    float (&out)[HEAD / 2], unsigned int (&weights)[BN / 4],
    unsigned long long v)
{
    settle(out);
    settle(weights);
    begin_products();
    #pragma unroll
    for (int i = 0; i < BN; i += 16)
        multiply(out, weights + i / 4, v + i * 128 / 16);
    end_products();
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

// The same in two steps, with room for a wait between them. First the
// maxima; base: what a row's exponents lose.
__device__ __forceinline__ void find_most(
    const float (&scores)[BN / 2], float (&most)[2], float (&base)[2],
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
        base[half] = top == NOTHING ? 0.0f : top * FACTOR;
        shrink[half] = exp2_of(most[half] * FACTOR - base[half]);
        most[half] = top;
    }
}

// Then the weights and their sums.
__device__ __forceinline__ void weigh(
    float (&scores)[BN / 2], float (&sum)[2], const float (&base)[2],
    const float (&shrink)[2])
{
    #pragma unroll
    for (int half = 0; half < 2; ++half) sum[half] *= shrink[half];
    #pragma unroll
    for (int i = 0; i < BN / 2; i += 2) {
        const int half = i / 2 % 2;
        scores[i] = exp2_of(scores[i] * FACTOR - base[half]);
        scores[i + 1] = exp2_of(scores[i + 1] * FACTOR - base[half]);
        sum[half] += scores[i] + scores[i + 1];
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
__device__ __forceinline__ void store_rows(
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
        const size_t line = (size_t)head * q_len + row + 8 * half;
        store_row(o + line * HEAD, out, half, total > 0 ? 1 / total : 0.0f,
                  inside);
        if (inside && threadIdx.x % 4 == 0)
            lse[line] = total > 0 ? most[half] * SCALE + logf(total)
                                   : NOTHING;
    }
}

#endif

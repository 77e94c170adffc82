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
constexpr float SCALE = HEAD == 64 ? 0.125f : 0.0883883476f,
                FACTOR = SCALE * 1.44269504f;  // exp2 takes exp's place
#define NOTHING __int_as_float(0xff800000)     // minus infinity
static_assert(DOWN % 8 == 0 && BN % DOWN == 0, "every copy swizzles alike");

// Where a tile keeps an element, in bytes: runs of 8 change places, in
// each row in another way.
__device__ __forceinline__ unsigned int place(int row, int col)
{
    return 2 * (row * HEAD + (col ^ row % 8 * 8));
}

// Starts to copy a tile to shared memory; zeros where not inside.
template <int ROWS>
__device__ __forceinline__
void fetch(unsigned int to, const unsigned short* from, int row0, int rows)
{
    const int row = threadIdx.x / (HEAD / RUN),
              col = threadIdx.x % (HEAD / RUN) * RUN;
    from += (size_t)(row0 + row) * HEAD + col;
    to += place(row, col);
    #pragma unroll
    for (int t = 0; t < ROWS; t += DOWN) {
        const bool inside = row0 + row + t < rows;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :: "r"(to + 2 * t * HEAD),
                        "l"(inside ? from + t * HEAD : from - row * HEAD),
                        "r"(inside ? 16 : 0) : "memory");
    }
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

// Rounds two neighbours into one word.
__device__ __forceinline__ unsigned int round_two(float left, float right)
{
    unsigned int both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(both) : "f"(right), "f"(left));
    return both;
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
        q_at = q_tile + place(my_row + lane % 16, lane / 16 * 8),
        k_at = k_tiles + place(lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8),
        v_at = v_tiles + place(lane % 16, lane / 16 * 8);
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

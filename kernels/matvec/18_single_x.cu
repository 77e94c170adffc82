// matvec/18_single_x: neighbouring rows with one guard for all, and the
//     numbers of x loaded one by one.
//
// y[c] = a[0, c] * x[0] + a[1, c] * x[1] + ...
//
// Changed:  a few float4 of x -> LOADS single loads, under the same guard
//           (from 16_neighbours)
// Launch:   block (THREADS), grid (ceil(cols/(WIDTH*VEC)), split)
// Defines:  VEC = 4, LOADS = 8, WIDTH = 8, THREADS = 256
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of VEC; a starts at a multiple of 4*VEC bytes;
//           done is all zeros, and is so again afterwards
#ifndef VEC
#define VEC 4
#endif
#ifndef LOADS
#define LOADS 8
#endif
#ifndef WIDTH
#define WIDTH 8
#endif
#ifndef THREADS
#define THREADS 256
#endif
static_assert(32 % WIDTH == 0 && THREADS % 32 == 0, "whole warps");
#if VEC == 1
typedef float Word;
#elif VEC == 2
typedef float2 Word;
#elif VEC == 4
typedef float4 Word;
#endif

__device__ __forceinline__ void add(float (&acc)[VEC], Word word,
                                    float factor) {
    const float* each = reinterpret_cast<const float*>(&word);
    #pragma unroll
    for (int i = 0; i < VEC; ++i) acc[i] += factor * each[i];
}

// The block's sum of one column in each of the first WIDTH * VEC threads.
// acc: what a thread has of the VEC columns at its place, threadIdx.x %
// WIDTH. First the lanes with one place add up, then the warps.
__device__ __forceinline__ float total(float (&acc)[VEC]) {
    __shared__ float sums[THREADS / 32][WIDTH * VEC];
    int lane = threadIdx.x % 32;
    #pragma unroll
    for (int i = 0; i < VEC; ++i) {
        #pragma unroll
        for (int far = 16; far >= WIDTH; far /= 2)
            acc[i] += __shfl_xor_sync(0xffffffff, acc[i], far);
        if (lane < WIDTH) sums[threadIdx.x / 32][lane * VEC + i] = acc[i];
    }
    __syncthreads();
    float sum = 0;
    if (threadIdx.x < WIDTH * VEC)
        for (int warp = 0; warp < THREADS / 32; ++warp)
            sum += sums[warp][threadIdx.x];
    return sum;
}

extern "C" __global__
void __launch_bounds__(THREADS, 1024 / THREADS) matvec_single_x(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [rows]
    float* __restrict__ y,         // [cols]
    float* partial,                // [split, cols]
    unsigned* done,                // [ceil(cols/(WIDTH*VEC))]
    int rows, int cols, int split)
{
    const int DEEP = THREADS / WIDTH;   // rows at a time
    int words = cols / VEC, share = (rows + split - 1) / split;
    share = (share + LOADS - 1) / LOADS * LOADS;   // neighbours stay together
    int end = min((int)(blockIdx.y + 1) * share, rows);
    int word = min((int)blockIdx.x * WIDTH + (int)threadIdx.x % WIDTH,
                   words - 1);   // behind the last column: the last again
    const Word* column = reinterpret_cast<const Word*>(a) + word;
    float acc[VEC] = {};
    int r = blockIdx.y * share + threadIdx.x / WIDTH * LOADS;
    #pragma unroll 1
    for (; r + LOADS <= end; r += DEEP * LOADS) {
        const Word* place = column + (long long)r * words;
        Word held[LOADS];
        float factor[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = __ldg(place + (long long)k * words);
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            factor[k] = __ldg(x + r + k);
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            add(acc, held[k], factor[k]);
    }
    for (int stop = min(r + LOADS, end); r < stop; ++r)   // what is left
        add(acc, __ldg(column + (long long)r * words), __ldg(x + r));
    float sum = total(acc);
    int c = blockIdx.x * WIDTH * VEC + threadIdx.x;
    bool mine = threadIdx.x < WIDTH * VEC && c < cols;
    float* target = split == 1 ? y : partial;
    if (mine) target[(long long)blockIdx.y * cols + c] = sum;
    if (split > 1) {
        // Who counts `done` up to split has seen all shares arrive.
        // atomicInc then begins again at 0, for the next launch.
        __shared__ bool last;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            last = atomicInc(&done[blockIdx.x], split - 1) == split - 1;
        __syncthreads();
        if (last) {
            __threadfence();
            const Word* parts = reinterpret_cast<const Word*>(partial) + word;
            #pragma unroll
            for (int i = 0; i < VEC; ++i) acc[i] = 0;
            #pragma unroll 8
            for (int s = threadIdx.x / WIDTH; s < split; s += DEEP) {
                Word part = __ldcg(parts + (long long)s * words);
                add(acc, part, 1.0f);
            }
            sum = total(acc);
            if (mine) y[c] = sum;
        }
    }
}

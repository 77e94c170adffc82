// async_copies/06_cp_async: copies go past the registers, STAGES - 1
//     tiles ahead of the sums.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 8]
//
// Changed:  registers -> cp.async, two tiles -> a ring of STAGES
//           (from 05_ahead)
// Launch:   block (256), grid (8*SMs)
// Defines:  STAGES = 3
// Cost:     8*n bytes, 8*n flops
// Assumes:  n + 1024*STAGES*blocks < 2^31; in and out start at
//           multiples of 16 bytes; sm_80
#ifndef STAGES
#define STAGES 3
#endif
static_assert(STAGES >= 2, "one stage is read while another is filled");
constexpr int RADIUS = 4, THREADS = 256, TILE = 4 * THREADS,
              WIDTH = TILE + 2 * RADIUS, QUADS = WIDTH / 4;

// in[i] to in[i + 3]; zeros past the end.
__device__ float4 quad_of(const float* in, int i, int end)
{
    if (i + 3 < end) return *(const float4*)(in + i);
    return make_float4(i < end ? in[i] : 0.0f, i + 1 < end ? in[i + 1] : 0.0f,
                       i + 2 < end ? in[i + 2] : 0.0f, 0.0f);
}

// Starts a copy of 16 bytes to shared memory and goes on.
__device__ void copy_quad(float* to, const float* in, int i, int end)
{
    if (i + 3 < end)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"((unsigned int)__cvta_generic_to_shared(to)),
                        "l"(in + i) : "memory");
    else
        *(float4*)to = quad_of(in, i, end);
}

// Four neighbouring window sums a thread, out of a tile in shared memory.
__device__ void store_sums(const float* tile, float* out, int first, int n)
{
    const float4* quads = (const float4*)tile + threadIdx.x;
    float4 a = quads[0], b = quads[1], c = quads[2];
    float core = a.w + b.x + b.y + b.z + b.w + c.x;   // in all four
    float sums[4] = {a.x + a.y + a.z + core, a.y + a.z + core + c.y,
                     a.z + core + c.y + c.z, core + c.y + c.z + c.w};
    int i = first + 4 * threadIdx.x;
    if (i + 3 < n) {
        *(float4*)(out + i) = make_float4(sums[0], sums[1], sums[2], sums[3]);
    } else {
        for (int k = 0; k < 4; ++k) if (i + k < n) out[i + k] = sums[k];
    }
}

extern "C" __global__
void __launch_bounds__(THREADS) async_copies_cp_async(
    const float* __restrict__ in,   // [n + 8]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ alignas(16) float ring[STAGES][WIDTH];
    int end = n + 2 * RADIUS, quad = threadIdx.x, halo = quad + THREADS;
    auto fetch = [&](int number) {   // this block's tile of that number
        int first = (blockIdx.x + number * gridDim.x) * TILE;
        float* tile = ring[number % STAGES];
        copy_quad(tile + 4 * quad, in, first + 4 * quad, end);
        if (halo < QUADS)
            copy_quad(tile + 4 * halo, in, first + 4 * halo, end);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int number = 0; number < STAGES - 1; ++number) fetch(number);
    for (int number = 0;; ++number) {
        int first = (blockIdx.x + number * gridDim.x) * TILE;
        if (first >= n) break;
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();   // everyone's copies are there, and one stage free
        fetch(number + STAGES - 1);
        store_sums(ring[number % STAGES], out, first, n);
    }
}

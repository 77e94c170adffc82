// async_copies/04_loads: each block goes from tile to tile:
//     load it, meet, add up, meet.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 8]
//
// Changed:  rewrite: another task than 03_split, window sums out of tiles
// Launch:   block (256), grid (8*SMs)
// Defines:  none
// Cost:     8*n bytes, 8*n flops
// Assumes:  n + 1024*blocks < 2^31; in and out start at multiples of
//           16 bytes
constexpr int RADIUS = 4, THREADS = 256, TILE = 4 * THREADS,
              WIDTH = TILE + 2 * RADIUS, QUADS = WIDTH / 4;

// in[i] to in[i + 3]; zeros past the end.
__device__ float4 quad_of(const float* in, int i, int end)
{
    if (i + 3 < end) return *(const float4*)(in + i);
    return make_float4(i < end ? in[i] : 0.0f, i + 1 < end ? in[i + 1] : 0.0f,
                       i + 2 < end ? in[i + 2] : 0.0f, 0.0f);
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
void __launch_bounds__(THREADS) async_copies_loads(
    const float* __restrict__ in,   // [n + 8]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ alignas(16) float tile[WIDTH];
    float4* quads = (float4*)tile;
    int step = gridDim.x * TILE, first = blockIdx.x * TILE;
    int end = n + 2 * RADIUS, quad = threadIdx.x, halo = quad + THREADS;
    for (; first < n; first += step) {
        quads[quad] = quad_of(in, first + 4 * quad, end);
        if (halo < QUADS) quads[halo] = quad_of(in, first + 4 * halo, end);
        __syncthreads();
        store_sums(tile, out, first, n);
        __syncthreads();   // all have read before the next tile comes
    }
}

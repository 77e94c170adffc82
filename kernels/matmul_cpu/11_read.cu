// matmul_cpu/11_read: read the same floats again and again, to learn how
//     fast the cache that holds them is.
//
// out[lane] = times * the sum of every 128th float of a, from lane on
//
// Changed:  rewrite: no product, loads and additions only
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*size + 512 bytes, size*times flops
// Assumes:  size a multiple of 128
extern "C" __global__
void matmul_cpu_read(
    const float* __restrict__ a,    // [size]
    float* __restrict__ out,        // [128]
    int size,
    int times)
{
    float acc[8][16] = {};          // eight chains of 16 lanes
    for (int pass = 0; pass < times; ++pass)
    for (int i = 0; i < size; i += 128) {
        #pragma omp simd
        for (int lane = 0; lane < 16; ++lane) {
            #pragma GCC unroll 16
            for (int chain = 0; chain < 8; ++chain)
                acc[chain][lane] += a[i + 16 * chain + lane];
        }
    }
    for (int chain = 0; chain < 8; ++chain)
    for (int lane = 0; lane < 16; ++lane)
        out[16 * chain + lane] = acc[chain][lane];
}

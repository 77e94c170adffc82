// transpose/10_phases: one warp reads shared memory once,
//     in a pattern of your choice.
//
// out[i] = in[i / GROUP * STRIDE]     for lane i < lanes;
//                                     an element is VEC floats
//
// Changed:  rewrite: no transpose, one request to look at
// Launch:   block (32), grid (1)
// Defines:  VEC = 1, STRIDE = 1, GROUP = 1
// Cost:     8*VEC*lanes bytes, 0 flops
// Assumes:  in and out start at multiples of 4*VEC bytes
#ifndef VEC
#define VEC 1
#endif
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef GROUP
#define GROUP 1
#endif
static_assert(VEC == 1 || VEC == 2 || VEC == 4,
              "a lane reads 4, 8 or 16 bytes");
static_assert(STRIDE <= 32 && GROUP >= 1,
              "the pattern must stay inside the tile");

struct __align__(4 * VEC) Vec { float at[VEC]; };

extern "C" __global__
void transpose_phases(
    const float* __restrict__ in,   // [VEC * 1024]
    float* __restrict__ out,        // [VEC * lanes]
    int lanes)
{
    __shared__ Vec tile[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) {
        tile[i] = reinterpret_cast<const Vec*>(in)[i];
    }
    __syncthreads();
    if (threadIdx.x < lanes) {
        reinterpret_cast<Vec*>(out)[threadIdx.x] =
            tile[threadIdx.x / GROUP * STRIDE];
    }
}

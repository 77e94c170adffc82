// warps/04_paths: the lanes of a warp are dealt out to PATHS loops,
//     and the warp walks all of them.
//
// out[i] = x after rounds times x = 0.5 * x + path + 1, from x = i
//
// Changed:  rewrite: the same rounds on several paths, without the log
//           (from 01_schedule)
// Launch:   block (any), grid (any)
// Defines:  PATHS = 1
// Cost:     4*threads bytes, 2*threads*rounds flops
// Assumes:  nothing
#ifndef PATHS
#define PATHS 1
#endif
static_assert(PATHS >= 1 && PATHS <= 32,
              "a warp has lanes for 1 to 32 paths");

extern "C" __global__
void warps_paths(
    float* __restrict__ out,   // [threads]
    int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own_path = threadIdx.x % PATHS;
    float x = i;
    #pragma unroll 1
    for (int path = 0; path < PATHS; ++path) {
        // Lanes on another path wait behind this loop: a warp executes one
        // instruction at a time.
        if (path == own_path) {
            #pragma unroll 64
            for (int round = 0; round < rounds; ++round)
                x = fmaf(0.5f, x, path + 1.0f);
        }
    }
    out[i] = x;
}
